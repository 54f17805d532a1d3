"""`race report`: forms, files, and what is never written into."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from race.analysis.analyse import analyse
from race.analysis.model import Analysis
from race.cli import main
from race.report import html, markdown
from race.report.outcomes import Outcomes
from race.report.table import spreadsheet
from race.report.tables import cells
from race.saved.reader import SavedRace, load
from tests.support.synthetic import SMALL, Recipe, write

PARTIES = ("server", "generator", "database")
RECIPE = Recipe(engines=SMALL, pages=("good", "ugly"), rounds=6, rates=(2000.0,))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "results" / "mine", RECIPE)


@pytest.fixture
def published(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same race among the published ones."""
    place = tmp_path / "docs" / "results"
    shutil.copytree(folder, place / "article")
    monkeypatch.setattr("race.commands.find.PUBLISHED", place)
    return place / "article"


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def as_csv(analysis: Analysis) -> str:
    return spreadsheet(cells.spreadsheet(analysis))


def test_html_is_written_beside_the_race(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder / "report.html"
    for words in (["mine"], [str(folder), "--html"]):
        assert main(["report", *words, "--results", str(folder.parent)]) == 0
        assert capsys.readouterr().out == f"{path}\n"
        assert path.read_text() == html.page(analyse(load(folder)))
        path.unlink()


@pytest.mark.parametrize(
    ("words", "made"),
    [
        (["-o", "x"], html.page),
        (["-o", "x.CSV"], as_csv),
        (["--markdown", "-o", "x.txt"], markdown.page),
        (["--csv", "--output", "deep/x.md"], as_csv),
    ],
)
def test_a_file_has_the_form_that_was_asked_for(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    made: Callable[[Analysis], str],
) -> None:
    monkeypatch.chdir(tmp_path)
    before = files(folder)
    assert main(["report", str(folder), *words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"race": RECIPE.name, "report": words[-1]}
    assert (tmp_path / words[-1]).read_text() == made(analyse(load(folder)))
    assert files(folder) == before


@pytest.mark.parametrize(("form", "made"), [("markdown", markdown.page), ("csv", as_csv)])
def test_text_is_printed_where_no_file_is_named(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    form: str,
    made: Callable[[Analysis], str],
) -> None:
    assert main(["report", str(folder), f"--{form}"]) == 0
    assert capsys.readouterr().out == made(analyse(load(folder)))
    assert "report.html" not in files(folder)
    assert main(["report", str(folder), f"--{form}", "--json"]) == 2
    assert "name its file with -o" in capsys.readouterr().err


def test_a_published_run_is_never_written_into(
    published: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, results = files(published), tmp_path / "elsewhere"
    assert main(["report", str(published), "--results", str(results)]) == 0
    path = results / f"{RECIPE.name}.html"
    assert capsys.readouterr().out == f"{path}\n"
    assert path.exists()
    for name in ("report.html", "deeper/x.md", "run.json"):
        assert main(["report", str(published), "-o", str(published / name)]) == 2
        error = capsys.readouterr().err
        assert "is a published run, which nothing is written into" in error
        assert error.count("\n") == 1
    assert files(published) == before
    assert main(["report", str(published), "-o", str(published.parent / "x.html")]) == 0


def test_a_file_that_cannot_be_written_is_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(folder), "-o", str(folder)]) == 2
    assert capsys.readouterr().err == f"race: cannot write {folder}: Is a directory\n"


def test_a_row_of_the_csv_is_a_cell(small: SavedRace) -> None:
    analysis = analyse(small)
    rows = list(csv.DictReader(io.StringIO(as_csv(analysis))))
    outcomes = Outcomes(analysis)
    assert [row["outcome"] for row in rows] == [outcomes.outcome(cell) for cell in small.cells]
    for row, cell in zip(rows, small.cells, strict=True):
        assert (row["round"], row["label"], row["task"]) == (str(cell.round), cell.label, cell.task)
        assert None not in row
        for name in ("throughput", "steal", "foreign"):
            assert (float(row[name]) if row[name] else None) == getattr(cell, name)
        if cell.status == "ok":
            spent = cell.metered("cpu_ns", "server")
            assert spent
            assert cell.count
            assert float(row["cpu_us_server"]) == pytest.approx(spent / 1e3 / cell.count)
            assert float(row["p50_us"]) == cell.latency_us["p50"]
    row = next(row for row in rows if row["label"] == SMALL[3])
    assert (row["web"], row["loop"]) == ("japronto", "uvloop")


def test_every_column_is_explained_in_help(
    small: SavedRace, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["report", "--help"])
    expected = " ".join(capsys.readouterr().out.split())
    table = cells.spreadsheet(analyse(small))
    factors = {*small.head.discipline.factors, *(f"cpu_us_{one}" for one in PARTIES)}
    for column in table.columns:
        assert column.title in expected or column.title in factors, column.title
