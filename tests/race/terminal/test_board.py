"""What a person sees: the live board, plain lines, tables, the doctor."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterable
from dataclasses import replace as changed
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.console import Console

from race.analysis.analyse import analyse
from race.analysis.model import Analysis
from race.cli import main
from race.plan.forecast import Plan
from race.plan.order import Planned
from race.saved.model import Cell
from race.saved.reader import SavedRace, load
from race.terminal.board import Plain
from race.terminal.live import Live
from race.terminal.phrases import figures
from race.terminal.tables import latencies, matrix, short
from tests.support import records, synthetic, toy
from tests.support.race_lab import Race, scenario


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> SavedRace:
    """A race of the article's engines, with a rejected round and fixed rates."""
    recipe = synthetic.Recipe(rounds=6, rates=(1000.0,))
    return load(synthetic.write(tmp_path_factory.mktemp("saved"), recipe))


def first(saved: SavedRace, **wanted: object) -> Cell:
    return next(
        cell
        for cell in saved.cells
        if all(getattr(cell, name) == value for name, value in wanted.items())
    )


def analysed(saved: SavedRace, cells: Iterable[Cell]) -> Analysis:
    """The race as if it had these cells."""
    return analyse(changed(saved, cells=list(cells)))


def text(renderable: object, width: int = 200) -> str:
    console = Console(file=io.StringIO(), width=width)
    console.print(renderable)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_live_board_shows_round_cell_ranking_and_time_left(saved: SavedRace) -> None:
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=140, color_system=None)
    chosen = toy.scenario(title="A title", rounds=25)
    plan = Plan(toy.Toys(), chosen, [records.contender("x"), records.contender("y")], [])
    board = Live(console, plan, saved.head, plan.cells, lambda: saved)
    cell = first(saved, task="good", status="ok")
    board.round(2, 6)
    board.cell(Planned(2, 0, records.contender("x-y-z"), cell.work))
    board.result(cell)
    board.again(2, "steal 3 %")
    board.close()
    shown = out.getvalue()
    for part in ("A title", "round 2 of 6", "cell 2 of 52", "left", "x-y-z on good"):
        assert part in shown
    assert "2 cells again: steal 3 %" in shown
    assert "japronto-tarantool-one-uvloop" in shown
    assert "[" in shown.partition("ratio [95 %]")[2]


def test_plain_lines_have_no_control_characters(saved: SavedRace) -> None:
    out = io.StringIO()
    board = Plain(Console(file=out, width=40), saved.head.discipline, 10)
    board.round(0, 1)
    board.round(1, 1)
    board.result(first(saved, status="ok"))
    board.result(
        replace(first(saved), status="failed", reason="server [red] ended", throughput=None)
    )
    lines = out.getvalue().splitlines()
    assert lines[:2] == ["calibration", "round 1 of 1"]
    assert lines[2].startswith("[1/10] ")
    assert lines[3].endswith("FAILED: server [red] ended")
    assert "\x1b" not in out.getvalue()


def test_a_failed_cell_is_never_a_number(saved: SavedRace) -> None:
    failed = records.cell("sanic-tarantool-one", load=first(saved).load)
    assert figures(failed, saved.head.discipline) == "FAILED: why"
    table = text(matrix(analysed(saved, [failed])))
    assert "failed: sanic-tarantool-one on" in table


def test_the_table_fits_a_terminal_and_counts_valid_cells_only(saved: SavedRace) -> None:
    table = text(matrix(analyse(saved)), width=80)
    assert "…" not in table
    assert "japronto-tarantool-one-uvloop" in table
    invalid = [replace(cell, status="invalid", reason="steal") for cell in saved.cells]
    assert "?" in text(matrix(analysed(saved, invalid)))


def test_latencies_at_fixed_rates_have_a_table(saved: SavedRace) -> None:
    table = latencies(analyse(saved))
    assert table is not None
    assert "1,000" in text(table)
    slow = [synthetic.late(cell) if cell.load.rate else cell for cell in saved.cells]
    overloaded = latencies(analysed(saved, slow))
    assert overloaded is not None
    assert "overloaded" in text(overloaded, width=80)
    assert "…" not in text(overloaded, width=80)
    closed = [cell for cell in saved.cells if cell.load.rate is None]
    assert latencies(analysed(saved, closed)) is None


@pytest.mark.parametrize(
    ("rate", "shown"),
    [(0.4, "0"), (941.4, "941"), (999.7, "1k"), (12_345, "12.3k"), (1_210_000, "1.21M")],
)
def test_short_numbers(rate: float, shown: str) -> None:
    assert short(rate) == shown


def test_the_doctor_looks_at_everything(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["doctor", "--json"])
    answer = json.loads(capsys.readouterr().out)
    subjects = {one["subject"] for one in answer["findings"]}
    assert subjects >= {"wrk", "oha", "tarantool", "postgres", "engines", "interpreters"}
    assert subjects >= {"cores", "governor", "foreign CPU", "steal", "steadiness"}
    assert status == (0 if answer["good"] else 1)
    for one in answer["findings"]:
        assert one["text"]


def test_an_open_loop_race_counts_every_request_that_was_due(tmp_path: Path) -> None:
    if not (shutil.which("oha") or (Path.home() / ".cargo/bin/oha").exists()):
        pytest.skip("oha is not installed: make oha (it is optional)")
    path = scenario(tmp_path, ["aiohttp-memory-one"], ["ugly"], more="")
    path.write_text(
        path.read_text().replace("[load]", "[load]\nrates = [200]\nopen_duration_s = 1")
    )
    with Race(["run", str(path)], tmp_path / "results") as race:
        assert race.wait() == 0, race.text()
        rated = [cell for cell in race.saved_race().cells if cell.load.rate]
    assert len(rated) == 2
    for cell in rated:
        assert cell.count is not None
        # Those due in the last hundredth of the second may or may not leave.
        assert 198 <= cell.count + cell.errors["timeout"] <= 200
        assert cell.load.generator == "oha"
        assert sum(count for _, count in cell.histogram) == cell.count
