"""A folder of results that came from elsewhere leads nowhere else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from race.cli import main
from race.commands.claim import check
from race.errors import RaceError
from race.saved.reader import CELLS_FILE, RUN_FILE, ResultsError, load
from race.saved.writer import Writer
from tests.support.records import cell, contender, head
from tests.support.synthetic import SMALL, Recipe, write


@pytest.fixture
def precious(tmp_path: Path) -> Path:
    found = tmp_path / "precious"
    found.write_text("mine")
    return found


def test_a_report_is_not_written_through_a_link(tmp_path: Path, precious: Path) -> None:
    folder = write(tmp_path / "results" / "r", Recipe(engines=SMALL, pages=("ugly",), rounds=3))
    (folder / "report.html").symlink_to(precious)
    assert main(["report", "r", "--results", str(folder.parent)]) == 0
    assert precious.read_text() == "mine"
    assert not (folder / "report.html").is_symlink()


@pytest.mark.parametrize("name", [CELLS_FILE, RUN_FILE])
def test_a_race_is_not_saved_through_a_link(name: str, tmp_path: Path, precious: Path) -> None:
    folder = tmp_path / "r"
    folder.mkdir()
    (folder / name).symlink_to(precious)
    with pytest.raises((RaceError, ResultsError)), Writer(folder, head(contender("a"))) as writer:
        writer.add(cell("a"))
    assert precious.read_text() == "mine"


def test_a_head_that_is_a_link_is_replaced(tmp_path: Path) -> None:
    own, folder = head(contender("a")), tmp_path / "r"
    with Writer(folder, own):
        away = (folder / RUN_FILE).rename(tmp_path / "away")
    before = away.read_bytes()
    (folder / RUN_FILE).symlink_to(away)
    with Writer(folder, own) as writer:
        writer.finish("2026-11-20T21:00:00+00:00")
    assert away.read_bytes() == before
    assert load(folder).head.finished_at


@pytest.mark.parametrize("name", [CELLS_FILE, RUN_FILE])
def test_a_pipe_is_not_waited_for(name: str, tmp_path: Path) -> None:
    with Writer(tmp_path / "r", head(contender("a"))):
        pass
    (tmp_path / "r" / name).unlink()
    os.mkfifo(tmp_path / "r" / name)
    with pytest.raises(ResultsError, match=r"^cannot read \S+: it is no file$"):
        load(tmp_path / "r")


def test_a_document_names_runs_and_no_folders(tmp_path: Path) -> None:
    write(tmp_path / "r", Recipe(engines=SMALL, pages=("ugly",), rounds=3))
    page = tmp_path / "docs" / "page.md"
    page.parent.mkdir()
    words = f"ugly {SMALL[0]} {SMALL[1]}"
    page.write_text(f"It is 2 times.<!-- claim: ratio {tmp_path}/r {words} -->\n\n")
    page.write_text(page.read_text() + f"It is 2 times.<!-- claim: ratio ../r {words} -->\n")
    problems = [one.problem for one in check(page, tmp_path / "none")]
    assert len(problems) == 2
    assert all("names a run without its folder" in (one or "") for one in problems)
