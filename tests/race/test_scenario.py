"""Scenarios: what is accepted, and that a wrong word is answered with the nearest right one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from race.errors import RaceError
from race.plan import scenario

READY_MADE = {
    "aa",
    "article",
    "connections",
    "latency",
    "limits",
    "loops",
    "pipelining",
    "pythons",
    "quick",
}
LEAST: dict[str, Any] = {
    "name": "x",
    "title": "t",
    "engines": ["aiohttp-memory-one"],
    "pages": ["ugly"],
}


def test_every_scenario_of_the_project_is_there_and_valid() -> None:
    assert set(scenario.names()) >= READY_MADE
    for name in scenario.names():
        loaded = scenario.load(name)
        assert scenario.from_json(loaded.as_json()) == loaded


def test_defaults_are_the_protocol() -> None:
    made = scenario.from_json(LEAST)
    assert made.validity.steal == 0.02
    assert made.validity.foreign == 0.05
    assert made.validity.errors == 0.001


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"enginse": []}, "unknown scenario key 'enginse': did you mean 'engines'?"),
        ({"load": {"conections": 5}}, "unknown scenario key 'load.conections': did you mean"),
        ({"pages": ["godo"]}, "unknown page 'godo': did you mean 'good'?"),
        ({"load": {"generator": "wrk2"}}, "unknown load generator 'wrk2': did you mean 'wrk'?"),
        ({"rounds": "six"}, "scenario key 'rounds' must be of type int, not 'six'"),
        ({"rounds": True}, "scenario key 'rounds' must be of type int"),
        ({"load": 5}, "scenario key 'load' must be a table"),
        ({"rounds": 0}, "rounds must be above zero"),
        ({"pages": []}, "pages must be above zero"),
        ({"load": {"pipeline": [1, 0]}}, "load.pipeline must be above zero"),
        ({"load": {"threads": 9, "connections": 4}}, "more load.threads than load.connections"),
        ({"programs": {"own": {"comand": ["x"]}}}, "unknown scenario key 'programs.own.comand'"),
        ({"programs": {"own": {}}}, "scenario key 'programs.own.command' is missing"),
    ],
)
def test_a_wrong_key_or_value_is_one_clear_line(change: dict[str, Any], message: str) -> None:
    with pytest.raises(RaceError) as caught:
        scenario.from_json({**LEAST, **change})
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_key_is_named() -> None:
    with pytest.raises(RaceError, match="scenario key 'engines' is missing"):
        scenario.from_json({key: value for key, value in LEAST.items() if key != "engines"})


def test_an_unknown_scenario_names_the_nearest() -> None:
    with pytest.raises(RaceError, match="unknown scenario 'quik': did you mean 'quick'"):
        scenario.load("quik")


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('title = "t"\nengines = ["a*"]\npages = ["ugly"]\n[load]\nconnections = 7\n')
    assert scenario.load(str(path)).load.connections == 7
    path.write_text("title = ")
    with pytest.raises(RaceError, match=r"mine\.toml: "):
        scenario.load(str(path))
    with pytest.raises(RaceError, match="cannot read"):
        scenario.load(str(tmp_path / "none.toml"))


def test_the_command_line_changes_are_checked_too() -> None:
    made = scenario.from_json(LEAST)
    assert scenario.change(made, {"load.connections": 5}).load.connections == 5
    with pytest.raises(RaceError, match="unknown page"):
        scenario.change(made, {"pages": ["nope"]})
