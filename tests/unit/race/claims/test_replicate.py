"""Replications: their predictions, how they are judged, and which files are refused."""

from __future__ import annotations

import json
import math
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from race.analysis.pairing import Run
from race.cli import main
from race.errors import RaceError
from race.plan.forecast import Plan
from race.replicate import page, predictions, racing
from race.replicate.judge import judged, problems
from race.replicate.predictions import PLANTED, TWIN, Claim
from race.replicate.record import MOST_BYTES, Machine, Ratio, Replication, Seen
from race.run import race
from race.saved.head import Build, Environment, Hardware, Interpreter
from race.saved.model import Cell, Load
from tests.support import records

FindRun = Callable[[str], Run]
CLAIMS = predictions.read()
CLAIM = CLAIMS["uvloop"]
FIRST, SECOND = CLAIM.pair
MOST_OF_PICTURE = 40_000
BUILD = Build(pgo=True, lto=True, flags=[], compiler="GCC", loop_us=180)
COMMIT = "0123456789abcdef0123456789abcdef01234567"
GOOD = judged(
    Replication(
        claim="uvloop",
        predicted=CLAIM.predicted,
        outcome="cannot say",
        reason="",
        ratio=Ratio(1.2, 1.17, 1.23),
        twin=Ratio(1.0, 0.98, 1.02),
        planted=Ratio(0.9, 0.88, 0.92),
        margin=1.03,
        obstacle="",
        page="good",
        pipeline=1,
        connections=16,
        rounds=48,
        seed=1,
        started_at="2026-11-24T10:00:00+00:00",
        contenders={FIRST: Seen(2400.0, "server", 48), SECOND: Seen(2000.0, "server", 48)},
        machine=Machine("a processor", 2, "6.1", None),
        interpreters={FIRST: Interpreter("3.13.0", {"aiohttp": "3.14.5"}, BUILD)},
        versions={"wrk": "4.1.0"},
        commit=COMMIT,
        dirty=False,
    ),
    CLAIM,
)


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_a_prediction_follows_from_what_was_seen(claim: Claim) -> None:
    if claim.of_the_race:
        truth = 1 if claim.id == TWIN else 1 - predictions.SHARE
        assert claim.predicted == pytest.approx((truth - 0.05, truth + 0.05))
        return
    low, high = claim.expected()
    assert claim.predicted == (math.floor(100 * low) / 100, math.ceil(100 * high) / 100)
    middle = math.sqrt(low * high)
    assert claim.direction == ("faster" if middle > 1 else "slower")


def test_ten_claims_with_the_controls_among_them() -> None:
    assert len(CLAIMS) == 10
    assert {TWIN, PLANTED} < CLAIMS.keys()


@pytest.mark.xdist_group("published")
def test_the_answers_and_the_pictures_are_current(published: FindRun) -> None:
    """If this fails, run `python -m race.replicate.page`."""
    for path, text in page.pages(published).items():
        assert path.read_text(encoding="utf-8") == text, path
        if path.suffix == ".svg":
            assert len(text) < MOST_OF_PICTURE
            assert "var(" not in text
            ET.fromstring(text)  # noqa: S314 - our own file


def test_the_published_replications_are_good(capsys: pytest.CaptureFixture[str]) -> None:
    found = [str(path) for path in sorted(page.REPLICATIONS.glob("*.json"))]
    assert main(["replicate", "--check", *found]) == 0
    assert capsys.readouterr().out.count(": good") == len(found) > 0


def test_each_prediction_is_a_race_of_its_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(race, "prepare", asked.append)
    for claim in CLAIMS.values():
        with pytest.raises(AttributeError):  # prepare gave no plan
            racing.plan(claim, 6)
        scenario = asked[-1]
        assert {*claim.pair, racing.PLAIN, racing.SLOWED} == {*scenario.contenders}
        (load,) = scenario.load.closed_loads(True)
        assert (load.connections, load.pipeline) == (claim.connections, claim.pipeline)


OUTCOMES: list[tuple[dict[str, Any], str, str]] = [
    ({}, "holds", ""),
    ({"ratio": Ratio(1.4, 1.35, 1.45)}, "does not hold", ""),
    ({"ratio": Ratio(0.9, 0.85, 0.95)}, "does not hold", ""),
    ({"ratio": Ratio(1.3, 1.25, 1.35)}, "cannot say", "an end of the predicted one"),
    ({"twin": Ratio(1.06, 1.04, 1.08)}, "cannot say", "A/A) comes out different"),
    ({"margin": 1.2}, "cannot say", "may differ by 20 %"),
    ({"planted": Ratio(0.97, 0.94, 1.0)}, "cannot say", "slowdown of 10 % is not found"),
    ({"planted": Ratio(1.1, 1.08, 1.12)}, "cannot say", "slowdown of 10 % is not found"),
    ({"obstacle": "generator saturated: a lower bound"}, "cannot say", "a lower bound"),
    ({"ratio": None}, "cannot say", "fewer than 6 rounds"),
    ({"margin": None}, "cannot say", "fewer than 6 rounds"),
]


@pytest.mark.parametrize(("changes", "outcome", "reason"), OUTCOMES)
def test_what_a_replication_says(changes: dict[str, Any], outcome: str, reason: str) -> None:
    found = judged(replace(GOOD, **changes), CLAIM)
    assert found.outcome == outcome
    assert reason in found.reason
    assert bool(reason) == bool(found.reason)


def test_a_ratio_on_the_other_side_of_1_does_not_hold() -> None:
    """Also where the predicted interval, which a build may widen, contains it."""
    ratio = Ratio(0.97, 0.95, 0.99)
    assert judged(replace(GOOD, ratio=ratio), CLAIMS["japronto"]).outcome == "does not hold"


def test_the_controls_are_no_obstacle_to_themselves() -> None:
    loud = replace(GOOD, claim=TWIN, ratio=Ratio(1.2, 1.1, 1.3), twin=Ratio(1.2, 1.1, 1.3))
    assert judged(loud, CLAIMS[TWIN]).outcome == "does not hold"
    lost = replace(GOOD, claim=PLANTED, ratio=Ratio(1, 0.98, 1.02), planted=Ratio(1, 0.98, 1.02))
    assert judged(lost, CLAIMS[PLANTED]).outcome == "does not hold"


BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"claim": "nothing"}, "no claim is called 'nothing'"),
    ({"predicted": (0.1, 9.0)}, "prediction differ"),
    ({"connections": 99}, "prediction differ"),
    ({"ratio": Ratio(1.3, 1.17, 1.23)}, "is not within its interval"),
    ({"twin": Ratio(1.0, 1.02, 0.98)}, "is not within its interval"),
    ({"planted": Ratio(0.9, 0.88, 1e6)}, "planted is impossible"),
    ({"contenders": {}}, "is not among its contenders"),
    ({"contenders": {FIRST: Seen(9.0, "server", 8), SECOND: Seen(1.0, None, 8)}}, "its rates, 9"),
    ({"contenders": {FIRST: Seen(1e-308, None, 8), SECOND: Seen(1e308, None, 8)}}, "its rates, 1"),
    ({"contenders": {**GOOD.contenders, "x": Seen(1.0, "moon", 8)}}, "'moon' is no party"),
    ({"commit": None}, "not of a commit"),
    ({"dirty": True}, "not of a commit"),
    ({"outcome": "does not hold"}, "does not follow from its figures"),
]


@pytest.mark.parametrize(("changes", "said"), BROKEN)
def test_what_is_impossible_is_refused(changes: dict[str, Any], said: str) -> None:
    assert not list(problems(GOOD, CLAIMS))
    nothing = judged(replace(GOOD, ratio=None, contenders={}), CLAIM)
    assert not list(problems(nothing, CLAIMS))
    assert any(said in one for one in problems(replace(GOOD, **changes), CLAIMS))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data | {"rounds": -1}, "Expected `int` >= 0"),
        (lambda data: data | {"extra": 1}, "unknown field `extra`"),
        (lambda data: data | {"outcome": "surely"}, "Invalid enum value 'surely'"),
        (lambda data: data | {"commit": "main"}, "matching regex"),
        (lambda data: {name: data[name] for name in data if name != "machine"}, "`machine`"),
        (lambda data: [data], "Expected `object`"),
        (lambda data: data | {"obstacle": "x" * MOST_BYTES}, "no replication has more than"),
    ],
)
def test_a_broken_file_is_refused(
    change: Callable[[Any], Any], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, broken = tmp_path / "good.json", tmp_path / "broken.json"
    good.write_text(GOOD.text())
    broken.write_text(json.dumps(change(json.loads(GOOD.text()))))
    assert main(["replicate", "--check", str(good), str(broken), str(tmp_path / "no")]) == 1
    first, second, third = capsys.readouterr().out.splitlines()
    assert first == f"{good}: good"
    assert said in second
    assert "cannot read" in third


@pytest.fixture
def raced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An invented race of the claim, which `race replicate` takes for its own."""
    speeds = {
        SECOND: 2000.0,
        f"{SECOND} (A/A)": 2000.0,
        FIRST: 2400.0,
        racing.PLAIN: 9000.0,
        racing.SLOWED: 8100.0,
    }
    folder = records.write(tmp_path / "race", _head(list(speeds)), _cells(speeds))
    monkeypatch.setattr(racing, "raced", lambda *_: folder)
    monkeypatch.setattr(racing, "plan", lambda *_: _Minutes())
    return folder


class _Minutes:
    def seconds(self) -> float:
        return 300.0


def _head(labels: list[str]) -> Any:
    environment = Environment(
        cpu="a processor",
        cores=2,
        kernel="6.1",
        commit=COMMIT,
        dirty=False,
        hardware=Hardware(),
        versions={"wrk": "4.1.0", "oha": None},
        interpreters={label: Interpreter("3.13.0", {"aiohttp": "3"}, BUILD) for label in labels},
    )
    contenders = [
        records.contender(
            label, name=label.removesuffix(" (A/A)"), aa=label.endswith(" (A/A)"), described=False
        )
        for label in labels
    ]
    return replace(
        records.head(*contenders, environment=environment),
        baseline=SECOND,
        scenario={"name": "replicate-uvloop", "restart": 4},
    )


def _cells(speeds: dict[str, float]) -> list[Cell]:
    random = np.random.default_rng(7)
    return [
        records.cell(
            label,
            round=number,
            task="good",
            load=Load("wrk", 16),
            status="ok",
            reason=None,
            saturated="server",
            throughput=speed * math.exp(random.normal(0, 0.01)),
            count=1000,
            seconds=0.3,
        )
        for number in range(1, 13)
        for label, speed in speeds.items()
    ]


def test_a_replication_is_said_and_written(
    raced: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.json"
    assert main(["replicate", "uvloop", "-o", str(path)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("yours: 1.2")
    assert "; predicted [1.02, 1.33]: holds\n" in shown
    assert path.stat().st_size < 4000
    assert main(["replicate", "--check", str(path)]) == 0
    found = json.loads(path.read_text())
    assert found["planted"]["ratio"] == pytest.approx(0.9, abs=0.01)
    assert found["contenders"][FIRST]["rate"] == pytest.approx(2400, rel=0.02)
    assert found["contenders"][FIRST]["saturated"] == "server"
    capsys.readouterr()
    assert main(["replicate", "uvloop", "--json"]) == 0
    assert (raced / "replication.json").read_text() == capsys.readouterr().out


def test_a_lower_bound_says_nothing(raced: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = raced / "cells.jsonl"
    text = path.read_text().replace('"saturated":"server"', '"saturated":"generator"')
    path.write_text(text)
    assert main(["replicate", "uvloop"]) == 3
    shown = capsys.readouterr().out
    assert shown.startswith("yours: 1.2")
    assert "cannot say: " in shown
    assert "the generator was saturated in 12 of 12 cells: this is a lower bound" in shown


def test_a_missing_database_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def prepare(scenario: Any) -> Plan:
        contenders = [records.contender(name) for name in scenario.contenders if "-" not in name]
        lacks = [f"{FIRST}: no postgres on this machine"]
        return Plan(None, scenario, contenders, lacks)  # type: ignore[arg-type]

    monkeypatch.setattr(race, "prepare", prepare)
    assert main(["replicate", "uvloop"]) == 3
    assert capsys.readouterr().out == f"cannot say here: {FIRST}: no postgres on this machine\n"


def test_a_wrong_word_is_answered_with_the_claims(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replicate", "uvlop"]) == 2
    assert "did you mean 'uvloop'?" in capsys.readouterr().err


def test_predictions_that_are_none_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "predictions.toml"
    with pytest.raises(RaceError, match="replicate from a clone"):
        predictions.read(path)
    text = predictions.PREDICTIONS.read_text()
    for old, new, said in (
        ("predicted = [0.95, 1.05]", "predicted = [1.05, 0.95]", "no interval"),
        ("widen = [1.38, 1.1]", "widen = [0.9, 1.1]", "narrower"),
        ('id = "planted"', 'id = "aa"', "the same id"),
        ("goal =", "gaol =", "gaol"),
    ):
        assert old in text
        path.write_text(text.replace(old, new))
        with pytest.raises(RaceError, match=said):
            predictions.read(path)
