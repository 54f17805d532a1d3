"""Several runs as one result, and what a terminal and Markdown show of it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev

import pytest
from msgspec.structs import replace as changed

from race.analysis.analyse import analyse
from race.analysis.merge import between, merge
from race.analysis.pairing import Run
from race.cli import main
from race.errors import RaceError
from race.report import merged
from race.report.claims import pairs
from race.saved.head import Environment
from race.saved.reader import SavedRace, load
from race.stats.estimate import Estimate
from race.stats.noise import LEAST_MARGIN
from race.stats.ranking import find_pair
from tests.support.synthetic import BASELINE, Recipe, write

FAST = "sanic-tarantool-one"
PLAIN = Recipe(
    engines=(BASELINE, FAST, "japronto-tarantool-one"),
    pages=("good", "ugly"),
    depths=(),
    rounds=6,
    faults=False,
)


def runs(folder: Path, count: int) -> list[SavedRace]:
    """Return `count` runs, each with its own seed."""
    recipes = [replace(PLAIN, name=f"run-{seed}", seed=seed) for seed in range(1, count + 1)]
    found = [load(write(folder / one.name, one)) for one in recipes]
    return [
        replace(one, head=changed(one.head, started_at=f"2026-11-2{number}T20:45:00+00:00"))
        for number, one in enumerate(found)
    ]


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> list[SavedRace]:
    return runs(tmp_path_factory.mktemp("two"), 2)


def ratio(percent: float, width: float = 0.02) -> Estimate:
    value = math.log(1 + percent / 100)
    return Estimate(value, value - width, value + width, 9)


def test_few_runs_have_the_smallest_interval_that_contains_each_runs_own() -> None:
    found = between([ratio(10), ratio(14)])
    assert found is not None
    assert (found.low, found.high) == (ratio(10).low, ratio(14).high)
    assert found.n == 2
    unbounded = between([ratio(10), Estimate(0.1, -math.inf, math.inf, 2)])
    assert unbounded is not None
    assert not unbounded.bounded
    assert between([ratio(10), None]) is None


def test_three_runs_have_an_interval_with_the_spread_between_them() -> None:
    found = between([ratio(10), ratio(12), ratio(14)])
    assert found is not None
    middle = fmean(map(math.log, (1.10, 1.12, 1.14)))
    assert found.value == pytest.approx(middle)
    spread = stdev(map(math.log, (1.10, 1.12, 1.14)))
    assert found.high - middle == pytest.approx(4.302653 * spread / math.sqrt(3))


def test_a_winner_takes_every_run(two: list[SavedRace]) -> None:
    good = merge(two).comparisons[0]
    pair = good.pair(FAST, BASELINE)
    assert pair is not None
    assert pair.winner == FAST
    assert pair.ratio is not None
    assert all(one is not None and one.low >= pair.ratio.low for one in pair.ratios)
    backwards = good.pair(BASELINE, FAST)
    assert backwards is not None
    assert backwards.ratio == pair.ratio.reversed()
    # In a third run there is no winner, or it is the other one.
    for slowdown in (1.62, 4.0):
        slower = replace(PLAIN, name=f"slow-{slowdown}", seed=5, slowdown={FAST: slowdown})
        third = load(write(two[0].folder.parent / slower.name, slower))
        assert _winner([*two, third]) is None


def test_the_margin_of_two_runs_is_the_wider_one_and_more_runs_decide_more(tmp_path: Path) -> None:
    recipes = [replace(PLAIN, name=f"noisy-{n}", seed=n, noise=0.04) for n in range(1, 7)]
    noisy = [load(write(tmp_path / one.name, one)) for one in recipes]
    good = merge(noisy[:2]).comparisons[0]
    assert good.margin == max(one.margin for one in good.comparisons)
    six = merge(noisy).comparisons[0]
    assert LEAST_MARGIN < six.margin < min(one.margin for one in six.comparisons)


def test_controls_never_win_over_any_number_of_runs(tmp_path: Path) -> None:
    other = "aiohttp-tarantool-multi"
    apart = replace(PLAIN, engines=(BASELINE, FAST, other), slowdown={other: 1.5})
    recipes = [replace(apart, name=f"apart-{n}", seed=n) for n in range(1, 4)]
    found = merge([load(write(tmp_path / one.name, one)) for one in recipes])
    pairs = [one.pair(BASELINE, other) for one in found.comparisons]
    assert [one and one.winner for one in pairs] == [BASELINE, None]


def _four_rounds(race: SavedRace) -> SavedRace:
    """Return the race without an interval."""
    return replace(race, cells=[cell for cell in race.cells if cell.round <= 4])


def _with_a_bad_round(race: SavedRace) -> SavedRace:
    """Return the race with a round in which the fast one served half, which is in its interval."""
    cells = [
        changed(c, throughput=(c.throughput or 0) / 2) if (c.label, c.round) == (FAST, 3) else c
        for c in race.cells
    ]
    return replace(race, cells=cells)


@pytest.mark.parametrize(("change", "first"), [(_four_rounds, 3), (_with_a_bad_round, 0)])
def test_runs_win_together_though_some_or_all_cannot_tell(
    tmp_path: Path, change: Callable[[SavedRace], SavedRace], first: int
) -> None:
    found = runs(tmp_path, 4)
    found[first:] = map(change, found[first:])
    for one in found[first:]:
        pair = find_pair(analyse(one).comparisons[0].pairs, FAST, BASELINE)
        assert pair is not None
        assert pair.winner is None
    assert _winner(found) == FAST
    assert _winner(found[-2:]) is None


def _winner(found: list[SavedRace]) -> str | None:
    pair = merge(found).comparisons[0].pair(FAST, BASELINE)
    assert pair is not None
    return pair.winner


def test_runs_that_were_run_otherwise_are_warned_about(two: list[SavedRace]) -> None:
    first, second = two
    scenario = {**second.head.scenario, "restart": 6}
    found = merge([first, replace(second, head=changed(second.head, scenario=scenario))])
    assert (
        "Different rounds after which servers start anew (restart): none and every 6."
        in found.warnings
    )


def test_tasks_with_other_connections_are_not_merged(two: list[SavedRace]) -> None:
    first, second = two
    cells = [changed(c, connections_used=200) if c.task == "ugly" else c for c in second.cells]
    other = replace(second, cells=cells)
    found = merge([first, other])
    assert [one.work.task for one in found.comparisons] == ["good"]
    assert re.match(r"Not merged: 100 and 200 connections \(.* on Ugly\): `race", found.warnings[0])
    with pytest.raises(RaceError, match="run-1 and run-2 are not joined: 100 and 200 connections"):
        pairs.comparisons([Run.of(first), Run.of(other)], "ugly")
    every = [changed(c, connections_used=200) for c in second.cells]
    with pytest.raises(RaceError, match="nothing can be merged: 100 and 200 connections"):
        merge([first, replace(second, cells=every)])
    same = [
        replace(one, cells=[changed(c, connections_used=200) for c in one.cells]) for one in two
    ]
    found = merge(same)
    assert merged.heading(found, found.comparisons[0]) == "Good, 200 connections"


def test_a_lower_bound_in_one_run_is_no_ratio_of_all(two: list[SavedRace]) -> None:
    cells = [changed(c, saturated="nobody") if c.label == FAST else c for c in two[1].cells]
    found = merge([two[0], replace(two[1], cells=cells)])
    pair = found.comparisons[0].pair(FAST, BASELINE)
    assert pair is not None
    assert pair.ratio is None
    assert pair.cpu is not None
    (row,) = [row for row in merged.rows(found, found.comparisons[0]) if row[0] == FAST]
    assert row[3] == "faster, at least"


def test_only_runs_of_one_scenario_are_merged(two: list[SavedRace]) -> None:
    first, second = two
    other = changed(second.head, scenario={**second.head.scenario, "name": "loops"})
    with pytest.raises(RaceError, match=r"cannot be merged: scenarios article and loops"):
        merge([first, replace(second, head=other)])
    fewer = changed(second.head, contenders=second.head.contenders[1:])
    with pytest.raises(RaceError, match=rf"not in both: {BASELINE}"):
        merge([first, replace(second, head=fewer)])
    with pytest.raises(RaceError, match="named twice"):
        merge([first, first])
    old = changed(second.head, environment=Environment(commit="fedcba9876543210"))
    warnings = merge([first, replace(second, head=old)]).warnings
    assert "Different commits: 0123456789ab and fedcba987654." in warnings


def test_the_command_prints_and_writes(
    two: list[SavedRace], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [str(one.folder) for one in two]
    assert main(["merge", *names]) == 0
    shown = capsys.readouterr().out
    assert max(len(line) for line in shown.splitlines() if not line.startswith("Ratios")) <= 80
    for part in (
        "2 runs: of ",
        "smallest interval that contains",
        "run 2",
        "Margin",
    ):
        assert part in shown
    path = tmp_path / "all.md"
    assert main(["merge", *names, "-o", str(path)]) == 0
    capsys.readouterr()
    assert main(["merge", *names, "--markdown"]) == 0
    assert capsys.readouterr().out == path.read_text()
    assert main(["merge", *names, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["runs"] == ["run-1", "run-2"]
    (good, _) = answer["comparisons"]
    assert {one["winner"] for one in good["pairs"]} <= {*good["labels"], None}
    assert good["noise"]["low"] <= good["noise"]["high"]
    assert main(["merge", names[0]]) == 2
    assert "two runs or more" in capsys.readouterr().err
