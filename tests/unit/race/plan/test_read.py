"""Scenarios: what is accepted, and that a wrong word is answered with the nearest right one."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from race.errors import RaceError
from race.plan import read

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
    assert set(read.names()) >= READY_MADE
    for name in read.names():
        loaded = read.load(name)
        assert read.from_json(loaded.as_json()) == loaded


def test_defaults_are_the_protocol() -> None:
    made = read.from_json(LEAST)
    assert made.limits.steal == 0.2
    assert made.limits.foreign == 0.1
    assert made.limits.errors == 0.001


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"enginse": []}, "unknown scenario key 'enginse': did you mean 'engines'?"),
        ({"load": {"conections": 5}}, "unknown scenario key 'load.conections': did you mean"),
        ({"pages": ["godo"]}, "unknown page 'godo': did you mean 'good'?"),
        ({"load": {"generator": "wrk2"}}, "unknown load generator 'wrk2': did you mean 'wrk'?"),
        ({"discipline": "wbe"}, "unknown discipline 'wbe': did you mean 'web'?"),
        ({"rounds": True}, "scenario x: key 'rounds': expected int, got bool"),
        ({"load": 5}, "scenario x: key 'load': expected a table, got int"),
        ({"name": "../../x"}, "key 'name': a name of a file has no /"),
        ({"rounds": 10**9}, "scenario x: key 'rounds': expected int <= 10000"),
        ({"workers": [10**9]}, "key 'workers[0]': expected int <= 64"),
        ({"load": {"connections": 10**9}}, "key 'load.connections': expected int <= 100000"),
        ({"load": {"duration_s": math.inf}}, "key 'load.duration_s': expected float <= 604800"),
        ({"load": {"rates": [math.inf]}}, "key 'load.rates[0]': expected float <= 1000000000"),
        ({"warmup": {"window_s": math.inf}}, "key 'warmup.window_s': expected float <= 604800"),
        ({"limits": {"reruns": 10**9}}, "key 'limits.reruns': expected int <= 1000"),
        ({"pages": []}, "key 'pages': expected a list of length >= 1"),
        ({"engines": [""]}, "key 'engines[0]': expected str of length >= 1"),
        ({"engines": ["a-b", "A-B"]}, "scenario x: engines has 'a-b' twice"),
        ({"workers": [1, 2, 1]}, "scenario x: workers has 1 twice"),
        ({"load": {"pipeline": [1, 24, 24]}}, "scenario x: load.pipeline has 24 twice"),
        ({"pages": ["/godo"]}, "unknown page '/godo': did you mean 'good'?"),
        ({"load": {"duration_s": 0.1}}, "key 'load.duration_s': expected float >= 0.2"),
        ({"load": {"open_duration_s": 0.0}}, "key 'load.open_duration_s': expected float >= 0.2"),
        ({"load": {"pipeline": [1, 0]}}, "key 'load.pipeline[1]': expected int >= 1"),
        ({"load": {"threads": 9, "connections": 4}}, "more load.threads than load.connections"),
        ({"programs": {"own": {"comand": ["x"]}}}, "unknown scenario key 'programs.own.comand'"),
        ({"programs": {"own": {}}}, "key 'programs[...].command' is missing"),
        (
            {"hosts": {"client": "far"}},
            "after 'hosts.' comes one of address, database, generator, server, not 'client'",
        ),
        ({"hosts": {"generator": "-oX"}}, "key 'hosts.generator': a host is HOST or HOST:PYTHON"),
        ({"hosts": {"generator": "far; x"}}, "key 'hosts.generator': a host is HOST or HOST:PY"),
        (
            {"hosts": {"generator": "far"}, "distance": [1]},
            "distance is for a race on this machine: leave out --generator",
        ),
        (
            {"hosts": {"database": "far"}, "link": [1]},
            "link is for a race on this machine: leave out --database",
        ),
        (
            {"hosts": {"server": "far"}},
            "key 'hosts.server': a server is HOST:/folder/of/a/checkout",
        ),
        (
            {"hosts": {"server": "far:/site"}, "distance": [1]},
            "distance is for a race on this machine: leave out --server",
        ),
        (
            {"hosts": {"server": "far:/site"}, "pythons": ["3.7"]},
            'pythons, builds and workers = ["cores"] look at this machine: give numbers of workers',
        ),
        (
            {"hosts": {"server": "far:/site"}, "workers": ["cores"]},
            'pythons, builds and workers = ["cores"] look at this machine: give numbers of workers',
        ),
        (
            {"hosts": {"generator": "far:/bin/python3", "database": "far"}},
            "generator and database are on far: one party a machine",
        ),
        (
            {"hosts": {"server": "far:/site", "generator": "b", "database": "far"}},
            "server and database are on far: one party a machine",
        ),
        (
            {
                "hosts": {"generator": "far"},
                "load": {"generator": "locust", "user": "Voter", "shape": "Steps"},
            },
            "locust runs on this machine alone: leave out --generator",
        ),
    ],
)
def test_a_wrong_key_or_value_is_one_clear_line(change: dict[str, Any], message: str) -> None:
    with pytest.raises(RaceError) as caught:
        read.from_json({**LEAST, **change})
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_key_of_another_discipline_is_told(tmp_path: Path) -> None:
    with pytest.raises(RaceError, match="key 'serve' needs discipline = \"app\" in the file"):
        read.from_file(tmp_path / "race.toml", {"serve": "x {port}", "rounds": 2})


def test_a_missing_key_is_named() -> None:
    with pytest.raises(RaceError, match="scenario x: key 'engines' is missing"):
        read.from_json({key: value for key, value in LEAST.items() if key != "engines"})


def test_a_discipline_has_words_of_its_own() -> None:
    least = {"name": "x", "title": "t", "discipline": "tools"}
    made = read.from_json({**least, "drivers": ["limits-*"], "operations": ["objects"]})
    assert (made.contenders, made.tasks) == (("limits-*",), ("objects",))
    with pytest.raises(RaceError, match="unknown scenario key 'engines'"):
        read.from_json({**least, "engines": ["*"], "pages": ["ugly"]})
    with pytest.raises(RaceError, match="unknown operation 'objcts': did you mean 'objects'"):
        read.from_json({**least, "drivers": ["*"], "operations": ["objcts"]})


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('title = "t"\nengines = ["a*"]\npages = ["ugly"]\n[load]\nconnections = 7\n')
    assert read.load(str(path)).load.connections == 7
    path.write_text("title = ")
    with pytest.raises(RaceError, match=r"mine\.toml: "):
        read.load(str(path))
    with pytest.raises(RaceError, match="cannot read"):
        read.load(str(tmp_path / "none.toml"))


def test_the_command_line_changes_are_checked_too() -> None:
    made = read.from_json(LEAST)
    assert read.change(made, {"load.connections": 5}).load.connections == 5
    assert read.change(made, {"tasks": ["good"]}).tasks == ("good",)
    with pytest.raises(RaceError, match="unknown page"):
        read.change(made, {"tasks": ["nope"]})
    with pytest.raises(RaceError, match="unknown scenario key 'prot'"):
        read.change(made, {"prot": 1})


def test_a_page_may_be_given_by_its_path() -> None:
    made = read.from_json({**LEAST, "pages": ["/", "/good", "about", "vote"]})
    assert made.tasks == ("index", "good", "about", "vote")
    assert read.change(made, {"tasks": ["/bad"]}).tasks == ("bad",)
