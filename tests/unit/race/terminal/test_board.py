"""The live board, plain lines, tables and the doctor, as a person sees them."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from dataclasses import replace as changed

import pytest
from msgspec.structs import replace
from rich.console import Console

from race.analysis.analyse import analyse
from race.analysis.model import Analysis
from race.plan.forecast import Plan
from race.plan.order import Planned
from race.report.console import broken
from race.report.format import short
from race.saved.model import Cell, Work
from race.saved.reader import SavedRace, load
from race.terminal.board import Plain
from race.terminal.live import Live
from race.terminal.phrases import figures, time_text
from race.terminal.tables import everything, matrix, ranking
from tests.support import records, synthetic, toy
from tests.unit.race.reading import printed

LONGEST = "japronto-tarantool-one-uvloop"


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> SavedRace:
    """A race of the article's engines, with a cell measured again and fixed rates."""
    recipe = synthetic.Recipe(rounds=6, rates=(1000.0,))
    return load(synthetic.write(tmp_path_factory.mktemp("saved"), recipe))


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> SavedRace:
    """The same race while it runs: nothing of it spoiled."""
    recipe = synthetic.Recipe(rounds=6, faults=False, finished=False)
    return load(synthetic.write(tmp_path_factory.mktemp("running"), recipe))


@dataclass(frozen=True)
class Chosen(Plan):
    """A plan of these works."""

    chosen: Sequence[Work] = ()

    @property
    def works(self) -> list[Work]:
        """Not those of the scenario."""
        return list(self.chosen)


def first(saved: SavedRace, **wanted: object) -> Cell:
    return next(
        cell
        for cell in saved.cells
        if all(getattr(cell, name) == value for name, value in wanted.items())
    )


def analysed(saved: SavedRace, cells: Iterable[Cell]) -> Analysis:
    """The race as if it had these cells."""
    return analyse(changed(saved, cells=list(cells)))


def text(renderable: object, width: int = 200, height: int = 100) -> str:
    return printed(renderable, width=width, height=height)


@contextmanager
def live(race: SavedRace, tasks: Sequence[str] = synthetic.PAGES) -> Iterator[Live]:
    """The board of a race that has got so far."""
    works = dict.fromkeys(cell.work for cell in race.cells if cell.task in tasks)
    chosen = [work for work in works if work.load.rate is None]
    title = "The article's nine engines"
    plan = Chosen(
        toy.Toys(), toy.scenario(title=title, rounds=6), race.head.contenders, [], chosen=chosen
    )
    console = Console(file=io.StringIO(), force_terminal=True, width=80, height=24)
    board = Live(console, plan, lambda: race)
    try:
        yield board
    finally:
        board.close()


def begin(board: Live, race: SavedRace, **wanted: object) -> None:
    """The next cell is like one of the race."""
    cell = first(race, **wanted)
    contender = next(one for one in race.head.contenders if one.label == cell.label)
    board.round(2, 6)
    board.cell(Planned(2, 0, contender, cell.work))


def test_what_runs_now_has_a_line_of_its_own_on_80_columns(running: SavedRace) -> None:
    with live(running) as board:
        begin(board, running, label=LONGEST, task="good")
        shown = text(board, 80, 24).splitlines()
    assert shown[0] == "The article's nine engines"
    assert shown[1].startswith(f"now: {LONGEST} on good · round 2 of 6 · ")
    assert shown[1].endswith(" left")
    assert shown[2].startswith("cell ")
    assert len(shown) <= 24
    assert all(len(line) <= 80 for line in shown)


def test_the_board_has_engines_by_pages_and_cuts_no_word(running: SavedRace) -> None:
    with live(running) as board:
        begin(board, running, label=LONGEST, task="about")
        small, large = text(board, 80, 24), text(board, 160, 50)
    for shown in (small, large):
        assert "…" not in shown
        for contender in running.head.contenders:
            assert contender.label in shown
        assert "±" in shown
        assert "ref" in shown
    # Seven columns do not stand side by side on 80; those of the page at work come first.
    assert "about" in small.splitlines()[3]
    assert "index" not in small.splitlines()[3]
    assert "a larger window" in small
    assert "a larger window" not in large
    assert all(page in large for page in synthetic.PAGES)


def test_a_wide_board_has_intervals_and_cpu_time(running: SavedRace) -> None:
    with live(running, ("good", "index")) as board:
        shown = text(board, 160, 50)
        narrow = text(board, 80, 24)
    assert "ratio [95 %]" in shown
    assert "µs" in shown
    assert "µs" not in narrow
    assert "±" in narrow


def test_a_race_of_one_page_is_told_anew_each_round(running: SavedRace) -> None:
    rounds = {number: [c for c in running.cells if c.round <= number] for number in (1, 9)}
    race = changed(running, cells=rounds[1])
    with live(race, ("good",)) as board:
        board._saved = lambda: race
        begin(board, running, task="good")
        early = text(board, 160, 50)
        race = changed(running, cells=rounds[9])
        begin(board, running, task="good")
        assert text(board, 160, 50) != early


def test_the_best_is_marked_and_so_is_who_is_only_first(running: SavedRace) -> None:
    good = next(one for one in analyse(running).closed() if one.work.task == "good")
    best = [item.label for item in good.unbeaten]
    lines = text(matrix(analyse(running), [good.work]), 80).splitlines()
    marked = [line.split()[0] for line in lines if "*" in line and "no other beats" not in line]
    assert set(best) <= set(marked)
    assert "* no other beats it" in " ".join(lines)
    few = [cell for cell in running.cells if cell.round < 3 and cell.task == "good"]
    early = text(matrix(analysed(running, few)), 80)
    assert "[?]" in early
    assert "+ first by the mean ratio" in early
    assert "no other beats" not in early


def test_in_its_first_round_who_has_not_run_waits(running: SavedRace) -> None:
    """Good engines were called invalid until the round was over."""
    page = [cell for cell in running.cells if cell.round == 1 and cell.task == "good"]
    race = changed(running, cells=page[:4])
    with live(race, ("good",)) as board:
        begin(board, running, label=page[4].label, task="good")
        shown = text(board, 80, 24)
        race.cells.append(page[4])
        board.result(page[4])
        after = text(board, 80, 24)
        race.cells.pop()
    assert "invalid" not in shown
    assert shown.count("waiting") == len(race.head.contenders) - 4
    assert after.count("waiting") == len(race.head.contenders) - 5


def test_a_disturbed_cell_waits_with_its_figure(running: SavedRace) -> None:
    page = [cell for cell in running.cells if cell.round == 1 and cell.task == "good"]
    others = [cell for cell in page if cell.label != LONGEST]
    spoiled = replace(
        first(running, label=LONGEST, task="good"),
        status="invalid",
        reason="steal",
        throughput=4120.0,
    )
    shown = text(matrix(analysed(running, [spoiled, *others])), 80)
    (line,) = (line for line in shown.splitlines() if line.startswith(LONGEST))
    assert "4.12k?" in line
    assert "waits" in line


def test_the_board_counts_on_and_never_past_the_end(running: SavedRace) -> None:
    with live(running) as board:
        total = board._cells
        assert f"cell {len(running.cells) + 1} of {total}" in text(board)
        for _ in range(total - len(running.cells)):
            board.result(running.cells[0])
        assert f"cell {total} of {total}" in text(board)
        board.result(running.cells[0])
        assert f"cell {total + 1} of {total + 1}" in text(board)


def test_the_board_tells_what_is_wrong_and_leaves_the_screen(running: SavedRace) -> None:
    cell = first(running, task="good")
    with live(running) as board:
        board.again(2, "steal 3 %")
        board.result(replace(cell, status="failed", reason="it is gone", throughput=None))
        board.result(cell)
        board.waiting("steal 4 %", 30)
        shown = text(board, 80, 40)
        assert board._screen.transient
    assert "2 cells again: steal 3 %" in shown
    assert "FAILED: it is gone" in shown
    assert re.search(r"waiting for a quiet machine until \d\d:\d\d:\d\d at most: steal 4 %", shown)


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


def test_plain_lines_count_on_after_a_resume_and_never_past_the_end(saved: SavedRace) -> None:
    out = io.StringIO()
    board = Plain(Console(file=out, width=40), saved.head.discipline, 5, done=3)
    for _ in range(3):
        board.result(first(saved, status="ok"))
    assert [line.split()[0] for line in out.getvalue().splitlines()] == ["[4/5]", "[5/5]", "[6/6]"]


def test_a_failed_cell_is_never_a_number(saved: SavedRace) -> None:
    failed = records.cell("sanic-tarantool-one", load=first(saved).load)
    assert figures(failed, saved.head.discipline) == "FAILED: why"
    table = text(matrix(analysed(saved, [failed])))
    assert "failed: sanic-tarantool-one on" in table


def test_fixed_rates_have_a_table(saved: SavedRace) -> None:
    def shown(cells: Iterable[Cell]) -> str:
        found = analysed(saved, cells)
        return "".join(text(part, 80) for part in everything(found))

    assert "1,000 requests/s offered" in shown(saved.cells)
    slow = shown(synthetic.late(cell) if cell.load.rate else cell for cell in saved.cells)
    assert "overloaded" in slow
    assert "…" not in slow
    assert "offered" not in shown(cell for cell in saved.cells if cell.load.rate is None)


@pytest.mark.parametrize("width", [80, 100, 160])
def test_a_ranking_cuts_no_word_and_is_no_wider(saved: SavedRace, width: int) -> None:
    found = analyse(saved)
    for comparison in found.closed():
        lines = text(ranking(found, comparison), width).splitlines()
        assert all(len(line) <= width for line in lines)
        shown = "\n".join(lines)
        assert "…" not in shown
        for item in comparison.results:
            assert all(word in shown for word in broken(item.label, 1).split("\n"))
        # Who was saturated stands beside the figures, or below them.
        assert all(("generator" in line) == (width > 100) for line in lines if "≥" in line)


@pytest.mark.parametrize("width", [52, 80, 114])
def test_names_that_are_shorter_than_their_heading_cut_no_figure(
    running: SavedRace, width: int
) -> None:
    short = {one.label: f"c{number}" for number, one in enumerate(running.head.contenders)}
    listed = [replace(one, label=short[one.label]) for one in running.head.contenders]
    head = replace(running.head, contenders=listed, baseline=short[running.head.baseline])
    tasks = ("good", "bad", "ugly")
    cells = [replace(one, label=short[one.label]) for one in running.cells if one.task in tasks]
    found = analyse(changed(running, head=head, cells=cells))
    shown = text(matrix(found), width)
    assert "…" not in shown
    assert "requests/s" in shown
    assert all(len(line) <= width for line in shown.splitlines())


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0.2, "0:00"), (65, "1:05"), (3599.7, "1:00:00"), (7384, "2:03:04")]
)
def test_time_left(seconds: float, shown: str) -> None:
    assert time_text(seconds) == shown


@pytest.mark.parametrize(
    ("rate", "shown"),
    [(0.4, "0"), (941.4, "941"), (999.7, "1k"), (12_345, "12.3k"), (1_210_000, "1.21M")],
)
def test_short_numbers(rate: float, shown: str) -> None:
    assert short(rate) == shown
