"""The gate: alarms, clear answers and open ones; and how often an alarm is false."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import msgspec
import numpy as np
import pytest

from race.analysis.analyse import analyse
from race.analysis.model import Analysis
from race.app.gate import answer as answers
from race.app.gate import racing
from race.app.gate.judge import Gate, Limits, Outcome, alpha, gate, judged, rounds_needed
from race.run import race
from race.saved.reader import RUN_FILE, load
from race.stats.estimate import Estimate
from race.stats.processes import Kept, lives
from tests.support.synthetic import BASELINE, Recipe, failed, write

OTHER, SLOW = "sanic-tarantool-one", "japronto-tarantool-one"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    recipe = Recipe(
        engines=(BASELINE, OTHER, SLOW), pages=("good", "ugly"), depths=(), rounds=24, faults=False
    )
    return write(tmp_path_factory.mktemp("gate") / "race", recipe)


def judged_race(folder: Path, old: str, new: str, limit: float) -> Gate:
    return gate(analyse(load(folder)), old, new, Limits(limit))


def test_the_three_answers_by_the_interval_and_the_limit() -> None:
    limit = math.log(1.05)
    assert judged(Estimate(0.10, 0.01, 0.2, 20), limit) is Outcome.SLOWER
    assert judged(Estimate(0.02, 0.01, 0.03, 20), limit) is Outcome.CLEAR
    assert judged(Estimate(0.04, 0.01, 0.06, 20), limit) is Outcome.OPEN
    assert judged(Estimate(0.10, -0.01, 0.2, 20), limit) is Outcome.OPEN
    assert judged(Estimate(0.10, -math.inf, math.inf, 3), limit) is Outcome.OPEN
    assert judged(None, limit) is Outcome.OPEN


def test_more_requests_need_more_rounds() -> None:
    assert (alpha(1), alpha(4)) == (0.1, 0.025)
    assert [rounds_needed(tasks) for tasks in (1, 2, 10)] == [5, 6, 8]


def test_a_slower_one_is_named_and_a_faster_one_is_clear(folder: Path) -> None:
    analysis = analyse(load(folder))
    results = analysis.closed()[0].results
    rates = {one.label: one.throughput.median for one in results if one.throughput}
    slow, fast = sorted((BASELINE, OTHER), key=lambda label: rates[label])
    alarm = gate(analysis, fast, slow, Limits(0.05))
    assert alarm.outcome is Outcome.SLOWER
    assert answers.headline(alarm).startswith(f"{slow} is slower than {fast} on Ugly (+")
    clear = gate(analysis, slow, fast, Limits(0.05))
    assert clear.outcome is Outcome.CLEAR
    assert "on any of 2 requests; a slowdown of" in answers.headline(clear)


def test_a_limit_that_cannot_be_seen_is_open(folder: Path) -> None:
    found = judged_race(folder, BASELINE, f"{BASELINE} (A/A)", 0.0001)
    assert found.outcome is Outcome.OPEN
    said = answers.headline(found)
    assert said.endswith("%) is open: only a slowdown of so much or more would have been seen.")
    one = replace(found, checks=found.checks[:1])
    assert "on Good is open: only a slowdown of " in answers.headline(one)


def test_one_that_fails_now_is_an_alarm(tmp_path: Path) -> None:
    recipe = Recipe(engines=(BASELINE, OTHER), pages=("good",), depths=(), rounds=8, faults=False)
    race = load(write(tmp_path / "race", recipe))
    cells = [failed(cell) if cell.label == OTHER and cell.round else cell for cell in race.cells]
    analysis = analyse(replace(race, cells=cells))
    assert gate(analysis, BASELINE, OTHER, Limits(0.05)).outcome is Outcome.FAILS
    assert gate(analysis, OTHER, BASELINE, Limits(0.05)).outcome is Outcome.OPEN


def test_the_answer_for_ci_has_every_request(folder: Path) -> None:
    found = judged_race(folder, BASELINE, OTHER, 0.05)
    suite = ElementTree.fromstring(answers.junit(found))  # noqa: S314 - our own text
    assert [case.get("name") for case in suite] == [one.task for one in found.checks]
    assert answers.markdown(found).count("\n| ") == len(found.checks) + 2
    assert json.loads(json.dumps(found.as_json()))["outcome"] == str(found.outcome)


def test_of_equal_commits_at_most_one_in_twenty_is_an_alarm() -> None:
    """Rounds scatter by 6 %, and each process keeps 2 % for its life of three rounds."""
    rng, races, tasks, rounds, restart = np.random.default_rng(7), 1000, 3, 15, 3
    life = lives(range(1, rounds + 1), restart)
    kept_by = rng.normal(0, 0.02 * math.sqrt(2), (races, tasks, life[-1] + 1))[..., life]
    ratios = kept_by + rng.normal(0, 0.06 * math.sqrt(2), (races, tasks, rounds))
    value, low, _ = Kept(restart, variance=2 * 0.02**2, freedom=4).limits(
        ratios, life, alpha(tasks)
    )
    alarms = ((low > 0) & (value >= math.log(1.02))).any(axis=1)
    assert alarms.mean() < 0.05


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """A race that also offers both the same rate; the first is nearer to its capacity."""
    recipe = Recipe(
        engines=(BASELINE, OTHER),
        pages=("good",),
        depths=(),
        rates=(5000,),
        rounds=24,
        faults=False,
    )
    return analyse(load(write(tmp_path_factory.mktemp("rated") / "race", recipe)))


def test_a_longer_p99_is_an_alarm_like_a_lower_rate(rated: Analysis) -> None:
    found = gate(rated, OTHER, BASELINE, Limits(0.05))
    assert [(one.name, one.outcome) for one in found.checks] == [
        ("Good", Outcome.SLOWER),
        ("p99 of Good", Outcome.SLOWER),
    ]
    assert found.confidence == 1 - alpha(2)
    assert "p99 of Good (+" in answers.headline(found)


def test_a_p99_that_is_open_keeps_the_gate_open_only_where_it_was_asked_for(
    rated: Analysis,
) -> None:
    found = gate(rated, OTHER, BASELINE, Limits(0.05))
    rate, p99 = (replace(one, outcome=Outcome.CLEAR) for one in found.checks)
    unknown = replace(p99, outcome=Outcome.OPEN, slowdown=None, reason="too few rounds count: 0")
    may_stay = replace(found, checks=[rate, unknown])
    assert may_stay.outcome is Outcome.CLEAR
    assert answers.headline(may_stay).endswith("Whether p99 is longer is not known.")
    asked = replace(found, checks=[rate, replace(unknown, needed=True)])
    assert asked.outcome is Outcome.OPEN
    assert "on p99 of Good is open: too few rounds count: 0" in answers.headline(asked)


def test_twins_halve_what_one_process_adds(folder: Path) -> None:
    race = load(folder)
    label = f"{OTHER} (A/A)"
    own = [one for one in race.cells if one.label == OTHER]
    cells = [*race.cells, *(msgspec.structs.replace(one, label=label) for one in own)]
    twins = [
        msgspec.structs.replace(one, label=label, aa=True)
        for one in race.head.contenders
        if one.label == OTHER
    ]
    head = msgspec.structs.replace(race.head, contenders=[*race.head.contenders, *twins])
    with_both = gate(analyse(replace(race, head=head, cells=cells)), BASELINE, OTHER, Limits(0.05))
    alone = gate(analyse(race), BASELINE, OTHER, Limits(0.05))
    for wide, narrow in zip(alone.checks, with_both.checks, strict=True):
        assert narrow.visible < wide.visible


def test_an_interrupted_gate_says_how_to_finish_its_race(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(folder: Path, *_: object) -> None:
        folder.mkdir()
        (folder / RUN_FILE).touch()
        raise KeyboardInterrupt

    monkeypatch.setattr(race, "new_head", lambda *_: SimpleNamespace(race="a-race"))
    monkeypatch.setattr(race, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        racing.raced(None, tmp_path, [], 1)  # type: ignore[arg-type]
    assert f"resume a-race --results {tmp_path}" in capsys.readouterr().err
