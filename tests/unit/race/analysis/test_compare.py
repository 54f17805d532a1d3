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
from race.commands.compare import run
from race.report import run_comparison
from race.saved.model import Environment, Limits
from race.saved.reader import SavedRace, load
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


def _compare(folders: dict[str, Path], old: str, new: str, limit: float = 0.05) -> RunComparison:
    return compare(load(folders[old]), load(folders[new]), limit)


def _change(found: RunComparison, label: str, page: str) -> Change:
    return next(c for c in found.changes if (c.label, c.work.task) == (label, page))


def test_like_runs_show_no_regression(folders: dict[str, Path]) -> None:
    found = _compare(folders, "before", "same")
    assert found.decided
    assert found.regressions == []
    assert {change.outcome for change in found.changes} == {"same"}
    assert "Nothing is slower" in run_comparison.headline(found)


def test_a_real_slowdown_is_found_where_it_is(folders: dict[str, Path]) -> None:
    found = _compare(folders, "before", "slower")
    assert {change.label for change in found.regressions} == {SLOWED}
    change = _change(found, SLOWED, "good")
    assert change.outcome == "slower"
    assert change.estimate is not None
    assert change.estimate.low < math.log(1 / 1.25) < change.estimate.high
    assert _change(found, ENGINES[0], "good").outcome == "same"
    back = _compare(folders, "slower", "before")
    assert _change(back, SLOWED, "good").outcome == "faster"
    assert back.regressions == []


@pytest.mark.parametrize(
    ("other", "lacking", "warning"),
    [
        ("short", "too few rounds in common", "No change could be seen"),
        ("other", "no cell in common", "no cell in common"),
    ],
)
def test_what_cannot_be_compared_decides_nothing_and_says_why(
    folders: dict[str, Path], other: str, lacking: str, warning: str
) -> None:
    found = _compare(folders, "before", other)
    assert not found.decided
    assert found.regressions == []
    assert any(warning in text for text in found.warnings)
    expected = f"{other} cannot be compared with before: {lacking}"
    assert run_comparison.headline(found) == expected
    if other == "other":
        assert {change.outcome for change in found.changes} == {"gone", "new"}


def test_limits_that_are_not_known_decide_nothing_and_say_so(folders: dict[str, Path]) -> None:
    old, slow = (load(folders[name]) for name in ("before", "slower"))
    unknown = replace(slow, cells=[changed(cell, saturated=None) for cell in slow.cells])
    found = compare(old, unknown, 0.05)
    assert not found.decided
    assert found.regressions == []
    assert any("rates must be no lower bounds" in text for text in found.warnings)


def test_a_shift_of_everything_is_named(folders: dict[str, Path]) -> None:
    found = _compare(folders, "before", "all")
    assert len(found.regressions) == len(found.changes)
    assert any("a change of the machine looks just like this" in text for text in found.warnings)
    old, new = (load(folders[name]) for name in ("before", "all"))
    relative = compare(old, new, 0.05, relative=True)
    assert relative.regressions == []
    assert relative.common == pytest.approx(0, abs=0.02)


def test_fixed_rates_are_compared_by_cpu_per_request(folders: dict[str, Path]) -> None:
    found = _compare(folders, "rates", "dearer")
    change = next(c for c in found.changes if c.label == SLOWED and c.work.load.rate is not None)
    assert change.measure == "CPU µs/request"
    assert change.outcome == "slower"
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
    cells = [
        changed(c, connections_used=400) if (c.label, c.task) == (SLOWED, "good") else c
        for c in new.cells
    ]
    expected = [
        "Different rounds after which servers start anew (restart): none and every 6.",
        "Different limits: steal 0.2 and 0.1.",
        "Different warmup: windows 2 and 1.",
        f"Different connections on Good: 100 and 400 ({SLOWED}).",
    ]
    found = compare(replace(old, head=before), replace(new, head=after, cells=cells))
    assert found.warnings[:4] == expected
    assert compare(old, new).warnings == []


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
        ("before", "same", 0.05, 0),
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
    assert any(longest in line and re.search(r"\d,\d{3},\d{3}", line) for line in shown.split("\n"))


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
