"""The servers of an application: their names, commands and what is refused."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from race.app import contenders
from race.errors import RaceError
from race.machine.describe import python_of
from race.plan import adhoc, read
from tests.unit.race.app.test_requests import made

PYTHON = sys.executable


def test_each_combination_of_levels_is_a_server(tmp_path: Path) -> None:
    scenario = made(
        tmp_path,
        serve=f"{PYTHON} {{server}} --loop {{loop}}",
        factors={"server": {"one": "a.py {port}", "two": "'b c.py' -p {port}"}, "loop": ["x", "y"]},
        env={"LOOP": "{loop}"},
    )
    found = contenders.choose(scenario)
    assert [one.label for one in found] == ["one-x", "one-y", "two-x", "two-y"]
    command = contenders.serve(scenario, found[3], 4000)
    assert command.words == (PYTHON, "b c.py", "-p", "4000", "--loop", "y")
    assert command.env == {"LOOP": "y"}


def test_a_command_may_set_variables(tmp_path: Path) -> None:
    scenario = made(tmp_path, serve=f"PORT={{port}} A='b c' {PYTHON} x.py")
    (one,) = contenders.choose(scenario)
    command = contenders.serve(scenario, one, 7)
    assert (command.words, command.env) == ((PYTHON, "x.py"), {"PORT": "7", "A": "b c"})


def test_an_interpreter_of_the_user_is_none_of_ours(tmp_path: Path) -> None:
    scenario = made(tmp_path, serve=f"{PYTHON} {{python}} {{port}}", factors={"python": ["3.7"]})
    (one,) = contenders.choose(scenario)
    assert one.factors == {"python": "CPython 3.7"}
    assert python_of(one) is None
    assert contenders.serve(scenario, one, 1).words == (PYTHON, "3.7", "1")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"serve": "nothing-like-this {port}"}, "cannot find 'nothing-like-this'"),
        ({"serve": "./app {port}"}, "cannot find './app'"),
        ({"serve": "cd x && python {port}"}, "no shell runs it: write sh -c"),
        ({"serve": "python 'app {port}"}, "No closing quotation"),
        ({"serve": "PORT={port}"}, "has no program"),
        ({"factors": {"loop": ["x", "y"]}}, "nothing contains {loop}"),
        ({"factors": {"loop": []}}, "factor 'loop' has no level, or one twice"),
        ({"factors": {"Loop": ["x"]}}, "'Loop' is no name of a factor"),
        ({"factors": {"loop": ["a, b"]}}, "'a, b' is no name of a level"),
        ({"serve": "python {workers}", "factors": {"workers": ["two"]}}, "workers are numbers"),
        ({"servers": ["nobody"]}, "unknown server 'nobody'"),
        ({"load": {"pipeline": [8]}, "only": ["back"]}, "unknown request 'back'"),
        ({"load": {"generator": "locust"}}, "an application is driven by wrk"),
    ],
)
def test_a_wrong_scenario_is_one_line(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(RaceError) as caught:
        contenders.choose(made(tmp_path, **changes))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_programs_of_the_command_line_are_levels_with_short_names() -> None:
    given = ["uvicorn a:app --port {port}", "A=1 /usr/bin/uvicorn b:app --port {port}"]
    data = adhoc.scenario(given, ["/a", "/b", "/a"])
    assert list(data["factors"]["program"]) == ["uvicorn", "uvicorn-2"]
    assert read.from_file(Path("programs"), data).tasks == ("/a", "/b")
    with pytest.raises(RaceError, match="where its port goes"):
        adhoc.scenario(["uvicorn a:app"], None)
    with pytest.raises(RaceError, match="the same command twice"):
        adhoc.scenario([given[0]] * 2, None)
