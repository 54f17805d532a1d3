"""Two saved runs: what counts as a regression, and what the gate answers."""

from __future__ import annotations

import argparse
import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec.structs import replace as changed

from race.analysis.compare import Change, RunComparison, compare
from race.analysis.differences import differences
from race.cli import main
from race.commands.compare import run
from race.report import run_comparison
from race.saved.head import Environment
from race.saved.model import Limits
from race.saved.reader import CELLS_FILE, SavedRace, load
from race.stats.verdict import Verdict
from tests.support.synthetic import Recipe, failed, write

ENGINES = ("aiohttp-tarantool-one", "sanic-tarantool-one", "sanic-tarantool-one-uvloop")
SLOWED = "sanic-tarantool-one"
PLAIN = Recipe(name="before", engines=ENGINES, pages=("good", "ugly"), depths=(), faults=False)
RATES = replace(PLAIN, name="rates", pages=("good",), rates=(3000.0,), rounds=6)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    base = tmp_path_factory.mktemp("races")
    recipes = {
        "before": PLAIN,
        "same": replace(PLAIN, name="same", seed=9),
        "slower": replace(PLAIN, name="slower", seed=8, slowdown={SLOWED: 1.25}),
        "short": replace(PLAIN, name="short", seed=9, rounds=2),
        "all": replace(PLAIN, name="all", seed=10, slowdown=dict.fromkeys(ENGINES, 1.4)),
        "rates": RATES,
        "dearer": replace(RATES, name="dearer", slowdown={SLOWED: 1.3}),
        "other": replace(PLAIN, name="other", pages=("about",)),
    }
    return {name: write(base / name, recipe) for name, recipe in recipes.items()}


def _compare(folders: dict[str, Path], old: str, new: str, limit: float = 0.15) -> RunComparison:
    return compare(load(folders[old]), load(folders[new]), limit)


def _change(found: RunComparison, label: str, page: str) -> Change:
    return next(c for c in found.changes if (c.label, c.work.task) == (label, page))


def test_like_runs_show_no_regression(folders: dict[str, Path]) -> None:
    found = _compare(folders, "before", "same")
    assert found.regressions == found.unseen == []
    assert {change.verdict for change in found.changes} == {Verdict.UNDECIDED}
    assert run_comparison.headline(found) == "Nothing in same is 15 % slower than in before"


def test_a_real_slowdown_is_found_where_it_is(folders: dict[str, Path]) -> None:
    found = _compare(folders, "before", "slower")
    assert {change.label for change in found.regressions} == {SLOWED}
    change = _change(found, SLOWED, "good")
    assert change.verdict is Verdict.DIFFERENT
    assert change.estimate is not None
    assert change.estimate.low < math.log(1 / 1.25) < change.estimate.high
    assert _change(found, ENGINES[0], "good").verdict is Verdict.UNDECIDED
    back = _compare(folders, "slower", "before")
    assert _change(back, SLOWED, "good").verdict is Verdict.DIFFERENT
    assert back.regressions == []


def test_a_gate_that_could_not_see_its_limit_says_what_it_could(folders: dict[str, Path]) -> None:
    """Rounds scatter by 6 %: 12 of them show 5 % slower no more than they rule it out."""
    assert not _compare(folders, "before", "same", 0.1).unseen
    found = _compare(folders, "before", "same", 0.05)
    worst = found.unseen[0]
    seen = 100 * -math.expm1(-worst.visible)
    assert 5 < seen < 10
    text = f"could have seen {seen:.2g} % ({worst.label} on Ugly)"
    assert text in run_comparison.headline(found)


def test_a_slowdown_at_the_limit_is_neither_shown_nor_ruled_out(folders: dict[str, Path]) -> None:
    found = _compare(folders, "before", "slower", 0.2)
    assert found.regressions == []
    assert {change.label for change in found.unseen} == {SLOWED}
    assert re.search(rf"{SLOWED} on (Good|Ugly) is at 0\.7", run_comparison.headline(found))


def test_a_margin_above_the_limit_hides_it_however_narrow_the_interval(
    folders: dict[str, Path],
) -> None:
    change = _change(_compare(folders, "before", "same"), SLOWED, "good")
    assert change.cleared
    wide = replace(change, margin=0.2)
    assert not wide.cleared
    assert wide.visible == 0.2


@pytest.mark.parametrize(
    ("other", "lacking", "warning"),
    [
        ("short", "12 and 2 rounds, and 5 or more are needed in each", "Too few rounds: 12 and 2."),
        ("other", "cannot be compared with before: no cell in common", "no cell in common"),
    ],
)
def test_what_cannot_be_compared_decides_nothing_and_says_why(
    folders: dict[str, Path], other: str, lacking: str, warning: str
) -> None:
    found = _compare(folders, "before", other)
    assert found.regressions == []
    assert not any(change.cleared for change in found.changes)
    assert any(warning in text for text in found.warnings)
    assert lacking in run_comparison.headline(found)
    if other == "other":
        assert {change.outcome for change in found.changes} == {"gone", "new"}


def test_a_lower_bound_is_compared_by_cpu_time(
    folders: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    old, slow = (load(folders[name]) for name in ("before", "slower"))
    bound = [changed(c, saturated=None) if c.label == SLOWED else c for c in slow.cells]
    found = compare(old, replace(slow, cells=bound), 0.15)
    assert {(one.label, one.measure) for one in found.regressions} == {(SLOWED, "CPU µs/request")}
    run_comparison.show(found)
    shown = capsys.readouterr().out
    assert "Good: requests/s" in shown
    assert "Good: CPU µs/request" in shown


def test_a_shift_of_everything_is_named(folders: dict[str, Path]) -> None:
    found = _compare(folders, "before", "all")
    assert len(found.regressions) == len(found.changes)
    assert any("a change of the machine looks just like this" in text for text in found.warnings)
    old, new = (load(folders[name]) for name in ("before", "all"))
    relative = compare(old, new, 0.05, relative=True)
    assert relative.regressions == []
    assert relative.common == pytest.approx(0, abs=0.02)


def test_fixed_rates_are_compared_by_cpu_per_request(folders: dict[str, Path]) -> None:
    found = _compare(folders, "rates", "dearer", 0.05)
    change = next(c for c in found.changes if c.label == SLOWED and c.work.load.rate is not None)
    assert change.measure == "CPU µs/request"
    assert change.regression
    assert change.old is not None
    assert change.new is not None
    assert change.new > change.old


def _failing(race: SavedRace) -> SavedRace:
    cells = [failed(c) if (c.label, c.task) == (SLOWED, "good") else c for c in race.cells]
    return replace(race, cells=cells)


def test_what_fails_now_is_a_regression(folders: dict[str, Path]) -> None:
    old, new = (load(folders[name]) for name in ("before", "same"))
    found = compare(old, _failing(new), 0.05)
    assert [change.outcome for change in found.regressions] == ["fails now"]
    assert "fails now" in run_comparison.headline(found)
    back = compare(_failing(old), new, 0.05)
    assert _change(back, SLOWED, "good").outcome == "recovered"


def test_differences_of_machines_are_warned_about(folders: dict[str, Path]) -> None:
    old, new = (load(folders[name]) for name in ("before", "same"))
    assert differences(old.head, new.head) == []
    head = changed(new.head, environment=_elsewhere(new.head.environment))
    expected = [
        "Different cpu: AMD EPYC 7B13 and Other.",
        "Different wrk: 4.1.0 and 4.2.0.",
        "Different sanic on CPython 3.13: 25.12.1 and 26.1.",
    ]
    assert differences(old.head, head) == expected
    tools = changed(new.head.discipline, name="tools")
    other = changed(new.head, discipline=tools)
    assert differences(old.head, other) == ["Different discipline: web and tools."]
    found = compare(old, replace(new, head=head))
    assert found.warnings[: len(expected)] == expected


def test_other_ways_of_running_are_named(folders: dict[str, Path]) -> None:
    old, new = (load(folders[name]) for name in ("before", "same"))
    warmup = {"window_s": 0.2, "windows": 2}
    before = changed(old.head, scenario={**old.head.scenario, "warmup": warmup})
    scenario = {
        **new.head.scenario,
        "warmup": {**warmup, "windows": 1},
        "restart": 6,
        "rounds": 9,
    }
    after = changed(new.head, scenario=scenario, limits=Limits(steal=0.1))
    expected = [
        "Different rounds after which servers start anew (restart): none and every 6.",
        "Different limits: steal 0.2 and 0.1.",
        "Different warmup: windows 2 and 1.",
    ]
    found = compare(replace(old, head=before), replace(new, head=after))
    assert found.warnings[:3] == expected
    assert compare(old, new).warnings == []


@pytest.mark.parametrize("calibrated", [True, False])
def test_other_connections_are_refused_with_both_numbers_and_a_remedy(
    folders: dict[str, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path, calibrated: bool
) -> None:
    """The calibration may have found other ones, or the scenario begun with them."""
    write(tmp_path / "wide", replace(PLAIN, name="wide"))
    path = tmp_path / "wide" / CELLS_FILE
    old, new = (
        ('"connections_used":null', '"connections_used":400')
        if calibrated
        else ('"connections":100', '"connections":400')
    )
    path.write_text(path.read_text().replace(old, new))
    assert main(["compare", str(folders["before"]), str(tmp_path / "wide")]) == 2
    assert capsys.readouterr().err == (
        f"race: before and wide cannot be compared: 100 and 400 connections ({ENGINES[0]} on "
        "Good): `race run --like before` takes those of the first\n"
    )


def _elsewhere(environment: Environment) -> Environment:
    return changed(
        environment,
        cpu="Other",
        versions={**environment.versions, "wrk": "4.2.0"},
        interpreters={
            label: changed(one, packages={**one.packages, "sanic": "26.1"})
            for label, one in environment.interpreters.items()
        },
    )


@pytest.mark.parametrize(
    ("old", "new", "limit", "code"),
    [
        ("before", "same", 0.15, 0),
        ("before", "same", 0.05, 3),
        ("before", "slower", 0.05, 1),
        ("before", "slower", None, 0),
        ("before", "slower", 0.4, 0),
        ("before", "short", 0.05, 3),
        ("before", "short", None, 0),
        ("before", "other", 0.05, 3),
    ],
)
def test_exit_codes_and_outputs(
    folders: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    old: str,
    new: str,
    limit: float | None,
    code: int,
) -> None:
    options = argparse.Namespace(
        before=old,
        after=new,
        results=folders["before"].parent,
        fail_if_slower=limit,
        relative=False,
        json=False,
        markdown=tmp_path / "c.md",
        html=tmp_path / "c.html",
    )
    assert run(options) == code
    shown = capsys.readouterr().out
    for text in (shown, options.markdown.read_text(), options.html.read_text()):
        assert SLOWED in text
        assert new in text
    options.json = True
    assert run(options) == code
    data = json.loads(capsys.readouterr().out)
    assert (data["regressions"] > 0) == (new == "slower" and limit != 0.4)


def test_no_name_is_cut_on_80_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    longest = "japronto-tarantool-one-uvloop"
    recipe = Recipe(engines=(ENGINES[0], longest), pages=("ugly",), faults=False, rounds=6)
    old, new = (load(write(tmp_path / f"{seed}", replace(recipe, seed=seed))) for seed in (1, 2))
    run_comparison.show(compare(old, new, 0.05))
    shown = capsys.readouterr().out
    assert "…" not in shown
    assert shown.count(longest) == 2
    millions = [line for line in shown.split("\n") if re.search(r"\d,\d{3},\d{3}", line)]
    assert any(line.startswith(longest.removesuffix("uvloop")) for line in millions)


def test_both_names_come_first_and_what_one_race_has_alone_last(
    folders: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    old = load(folders["before"])
    kept = [cell for cell in old.cells if cell.label != ENGINES[2] and cell.task == "good"]
    new = replace(old, head=changed(old.head, race="after"), cells=kept)
    found = compare(old, new, 0.05)
    expected = [
        f"only before: {ENGINES[2]}",
        f"only before: {ENGINES[1]}, {ENGINES[0]} on Ugly",
    ]
    assert sorted(run_comparison.alone(found)) == sorted(expected)
    run_comparison.show(found)
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["before: before", "after:  after"]
    tables = [at for at, line in enumerate(lines) if "ratio [95 %]" in line]
    alone = [at for at, line in enumerate(lines) if line.startswith("only before: ")]
    assert len(tables) == 1
    assert tables[0] < min(alone)
    assert not [line for line in lines if "gone" in line]
    for text in (run_comparison.markdown(found), run_comparison.html(found)):
        assert expected[0] in text
