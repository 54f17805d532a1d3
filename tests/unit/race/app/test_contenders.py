"""The servers of an application: their names, commands and what is refused."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from race.analysis import controls
from race.app import contenders
from race.app.database.process import DatabaseProcess, Instance
from race.app.database.state import State
from race.app.discipline import AppDiscipline
from race.errors import RaceError
from race.machine.describe import python_of
from race.plan import adhoc, read
from race.plan.contenders import with_twins
from race.run.race import described
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
    command = contenders.serve(scenario, found[3], {"port": "4000"})
    assert command.words == (PYTHON, "b c.py", "-p", "4000", "--loop", "y")
    assert command.env == {"LOOP": "y"}


def test_a_level_that_is_a_number_has_its_factor_in_the_name(tmp_path: Path) -> None:
    assert labels(tmp_path, factors={"server": ["a"], "loop": [2, 4]}) == ["a-loop=2", "a-loop=4"]


def test_a_command_may_set_variables(tmp_path: Path) -> None:
    scenario = made(tmp_path, serve=f"PORT={{port}} A='b c' {PYTHON} x.py")
    (one,) = contenders.choose(scenario)
    command = contenders.serve(scenario, one, {"port": "7"})
    assert (command.words, command.env) == ((PYTHON, "x.py"), {"PORT": "7", "A": "b c"})


def test_an_interpreter_of_the_user_is_none_of_ours(tmp_path: Path) -> None:
    scenario = made(tmp_path, serve=f"{PYTHON} {{python}} {{port}}", factors={"python": ["3.7"]})
    (one,) = contenders.choose(scenario)
    assert one.factors == {"python": "CPython 3.7"}
    assert python_of(one) is None
    assert contenders.serve(scenario, one, {"port": "1"}).words == (PYTHON, "3.7", "1")


FACTORS = {"server": {"a": "x", "b": "y"}, "loop": ["asyncio", "uvloop"]}
BOTH = f"{PYTHON} {{server}} {{loop}} {{port}}"


def labels(folder: Path, **changes: Any) -> list[str]:
    found = contenders.choose(made(folder, **{"serve": BOTH, "factors": FACTORS, **changes}))
    return [one.label for one in found]


def test_some_factors_vary_and_the_others_stay_at_their_first_level(tmp_path: Path) -> None:
    assert labels(tmp_path, vary=["server"]) == ["a-asyncio", "b-asyncio"]
    assert labels(tmp_path, vary=["server", "loop"]) == labels(tmp_path)


def test_the_named_combinations_race_alone(tmp_path: Path) -> None:
    wanted = [{"server": "b", "loop": "uvloop"}, {"server": "a"}]
    assert labels(tmp_path, combinations=wanted) == ["a-asyncio", "b-uvloop"]
    assert labels(tmp_path, combinations=wanted, vary=["server"]) == ["a-asyncio"]
    with pytest.raises(RaceError, match="no combination has all other factors at their first"):
        labels(tmp_path, combinations=wanted[:1], vary=["server"])


def test_the_same_server_under_two_names_is_a_control(tmp_path: Path) -> None:
    server = {"uvicorn": "uvicorn a:app", "again": "uvicorn a:app", "granian": "granian a:app"}
    scenario = made(tmp_path, serve="sh {server} {port}", factors={"server": server})
    kind = described(scenario, AppDiscipline())
    found = controls.groups(contenders.choose(scenario), (), kind.level_texts)
    assert found == (frozenset({"uvicorn", "again"}),)


def test_each_package_is_a_factor_of_its_versions(tmp_path: Path) -> None:
    scenario = made(
        tmp_path,
        build=f"{PYTHON} -m pip install {{packages}}",
        factors={"packages": {"httptools": ["0.6.1", "0.6.4"], "uvloop": ["0.21"]}},
    )
    found = contenders.choose(scenario)
    names = [one.label for one in found]
    assert names == ["httptools=0.6.1-uvloop=0.21", "httptools=0.6.4-uvloop=0.21"]
    command = contenders.build(scenario, found[1])
    assert command is not None
    assert command.words[2:] == ("pip", "install", "httptools==0.6.4", "uvloop==0.21")


def test_each_contender_and_its_twin_have_a_word_of_their_own(tmp_path: Path) -> None:
    scenario = made(tmp_path, serve=BOTH, factors=FACTORS, env={"DB": "shop_{contender}"})
    twins = with_twins(scenario, contenders.choose(scenario))
    assert len({contenders.word(one) for one in twins}) == 5
    assert all(contenders.word(one).isidentifier() for one in twins)


def test_what_is_prepared_in_another_way_has_another_template(tmp_path: Path) -> None:
    scenario = made(
        tmp_path,
        prepare="sh {schema} {server}.sql",
        serve=f"{PYTHON} {{port}} {{server}}",
        factors={"schema": ["plain", "indexed"], "server": ["a"]},
        database="postgres",
    )
    state = State(scenario, Made("postgres"))
    twins = with_twins(scenario, contenders.choose(scenario))
    names = {one.label: state.template(one)[0] for one in twins}
    assert names == {"plain-a": "t0", "plain-a (A/A)": "t0", "indexed-a": "t1"}


class Made(DatabaseProcess):
    """Databases that are said to run."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def start(self, name: str, template: str | None = None) -> Instance:
        return Instance(1, f"{self.kind}://app:secret@127.0.0.1:1/app")


def test_a_server_listens_on_a_port_or_on_a_socket(tmp_path: Path) -> None:
    serve, server = f"{PYTHON} a.py {{server}}", {"tcp": "-p {port}", "uds": "-u {socket}"}
    scenario = made(tmp_path, serve=serve, factors={"server": server})
    found = contenders.choose(scenario)
    assert [contenders.on_socket(scenario, one) for one in found] == [False, True]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"serve": "nothing-like-this {port}"}, "cannot find 'nothing-like-this'"),
        ({"serve": "./app {port}"}, "cannot find './app'"),
        ({"serve": "cd x && python {port}"}, "no shell runs it: write sh -c"),
        ({"serve": "python 'app {port}"}, 'serve "python \'app {port}": No closing quotation'),
        ({"serve": "PORT={port}"}, "has no program"),
        ({"serve": f"{PYTHON} app.py"}, "of {port} and {socket} `serve` has none"),
        ({"serve": f"{PYTHON} {{port}} {{socket}}"}, "of {port} and {socket} `serve` has both"),
        ({"factors": {"port": ["x"]}}, "'port' is no name of a factor"),
        ({"factors": {"server": {"a": ["x"]}}}, "the levels of 'server' are texts by name"),
        ({"factors": {"packages": {"a b": ["1"]}}}, "'a b' is no name of a factor"),
        ({"vary": ["loop"]}, "there is no factor 'loop': choose from nothing"),
        ({"factors": FACTORS, "serve": BOTH, "vary": ["lop"]}, "did you mean 'loop'"),
        ({"factors": FACTORS, "serve": BOTH, "combinations": [{"loop": "x"}]}, "has no level 'x'"),
        ({"env": {"A": "{database_url}"}}, "{database_url} needs a database, as in database = "),
        ({"reset": "round"}, 'reset = "round" needs `database`'),
        ({"serve": "./ {port}"}, "cannot run './', which `serve` begins with"),
        ({"factors": {"packages": {"uvloop": "0.21"}}}, "levels of 'uvloop' are texts by name, or"),
        ({"reset": "sometimes"}, "cannot find 'sometimes', which `reset` begins with"),
        (
            {"env": {"A": "{database_uri}"}, "database": "postgres"},
            "{database_uri} stands for nothing: of {database_...}, did you mean 'url'?",
        ),
        ({"database": "valkey"}, "no database 'valkey' for an application: choose from mysql, pos"),
        ({"build": "./a && b"}, "build has '&&', but no shell runs it"),
        ({"build": "nowhere x"}, "cannot find 'nowhere', which `build` begins with"),
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
        AppDiscipline().choose(made(tmp_path, **changes))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(RaceError, match="none is no folder"):
        AppDiscipline().choose(made(tmp_path / "none"))


def test_programs_of_the_command_line_are_levels_with_short_names() -> None:
    given = ["uvicorn a:app --port {port}", "A=1 /usr/bin/uvicorn b:app --port {port}"]
    data = adhoc.scenario(given, ["/a", "/b", "/a"])
    assert list(data["factors"]["program"]) == ["uvicorn", "uvicorn-2"]
    assert read.from_file(Path("programs"), data).tasks == ("/a", "/b")
    with pytest.raises(RaceError, match="where its port goes"):
        adhoc.scenario(["uvicorn a:app"], None)
    with pytest.raises(RaceError, match="the same command twice"):
        adhoc.scenario([given[0]] * 2, None)
