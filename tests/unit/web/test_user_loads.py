"""Users, shapes, page mixes and links of a scenario: what goes together, and what is refused."""

from __future__ import annotations

import ast
import io
import subprocess
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import msgspec
import pytest

from locustfiles.shapes import seconds
from race.errors import RaceError
from race.load.generator import Target, WatchedProcesses
from race.plan import read
from race.plan.works import closed_works
from race.saved.model import UserLoad
from race.web import engines, link, user_loads
from race.web.catalogue import Catalogue, Entry
from race.web.locust.__main__ import parser
from race.web.locust.generator import SECONDS, Locust
from race.web.scenario import SiteScenario
from race.web.tasks import MIXES, TASKS, USER_TASKS, mean, pages_of, path_of
from runtime.address import Address
from runtime.paths import ROOT
from tests.support import records

LOAD: dict[str, Any] = {
    "generator": "locust",
    "user": "Reporter",
    "shape": "Steps",
    "shape_options": {"steps_stages": "5:4 9:4 0:4", "steps_rate": 5},
}
LEAST: dict[str, Any] = {
    "name": "x",
    "title": "t",
    "engines": ["aiohttp-memory-one"],
    "pages": ["reports"],
    "load": LOAD,
}
USER_LOAD = UserLoad("Reporter", "Steps", (("steps_rate", "5"), ("steps_stages", "5:4 9:4 0:4")))


@pytest.fixture(autouse=True)
def shapes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask the shapes in this process; a live test asks them in their own."""

    def run(words: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = seconds.main(words[len(SECONDS) :])
        return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())

    monkeypatch.setattr(subprocess, "run", run)


def completed(**load: Any) -> SiteScenario:
    made = read.from_json({**LEAST, "load": {**LOAD, **load}})
    assert isinstance(made, SiteScenario)
    return user_loads.completed(made)


def test_a_shape_says_how_long_a_cell_is_and_how_many_users_there_are() -> None:
    made = completed()
    assert (made.load.duration_s, made.load.connections) == (12.0, 9)
    (work,) = closed_works(made, TASKS)
    assert work.load.user_load == USER_LOAD
    assert (work.load.duration_s, work.load.closed) == (12.0, False)
    again = read.from_json(made.as_json())
    assert isinstance(again, SiteScenario)
    assert user_loads.completed(again) == made == again


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"shape": "Stesp"}, "load.shape: unknown shape 'Stesp': did you mean 'Steps'?"),
        ({"user": "Reprter"}, "unknown user 'Reprter': did you mean 'Reporter'?"),
        ({"user": "Voter"}, "a Voter does not ask for page 'reports'"),
        ({"shape_options": {"steps": 1}}, "load.shape: Steps has no field 'steps': choose from st"),
        ({"shape_options": {"steps_rate": "x"}}, "load.shape: steps_rate: 'x' is no rate"),
        ({"shape": "Ramp", "shape_options": {}}, "load.shape: the users of Ramp depend on the"),
        ({"duration_s": 3.0}, "a cell of 3 s: the shape Steps lasts 12 s"),
        ({"connections": 3}, "3 connections: the shape Steps has up to 9 users"),
        ({"shape": ""}, "locust needs users: load.user and load.shape say which"),
        ({"generator": "wrk"}, "load.user, load.shape and load.shape_options are not for wrk"),
        ({"rates": [5.0]}, "users set their own pace"),
        ({"shape_options": {"steps_rate": [1]}}, "scenario x: key 'load.shape_options"),
    ],
)
def test_a_mistake_is_one_line_before_anything_starts(change: dict[str, Any], message: str) -> None:
    with pytest.raises(RaceError) as caught:
        completed(**change)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_a_mix_takes_users() -> None:
    made = read.from_json({**LEAST, "load": {}})
    assert isinstance(made, SiteScenario)
    with pytest.raises(RaceError, match="page 'reports' is a mix of several, which takes users"):
        user_loads.completed(made)


def test_a_mix_has_the_weights_of_its_user() -> None:
    tree = ast.parse((ROOT / "locustfiles" / "users" / "reporter.py").read_text())
    (weights,) = (
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "WEIGHTS"
    )
    mix = MIXES[USER_TASKS["Reporter"]]
    assert list(mix.pages.items()) == [(f"reports/{one}", often) for one, often in weights.items()]
    assert path_of("reports") == "/reports/1"
    assert pages_of("good") == {"good": 1}


def test_figures_of_a_mix_are_means_by_its_weights() -> None:
    found: dict[str, dict[str, int | float]] = {page: {"asked": 5} for page in pages_of("reports")}
    found["reports/3"] = {"asked": 16, "upkeep": 11}
    assert mean("reports", found) == {"asked": 6.0, "upkeep": 1.0}
    del found["reports/5"]
    assert mean("reports", found) == {}
    assert mean("good", {"good": {"asked": 3}}) == {"asked": 3}


def test_locust_is_told_the_shape_or_for_a_warm_up_a_few_users() -> None:
    (work,) = closed_works(completed(), TASKS)
    where = Address("/tmp/s", "", 5432, "me", "secret", "site")  # noqa: S108 - nothing is there
    watched = WatchedProcesses(1, 2, where)
    target = Target("http://127.0.0.1:1", "/reports/1", watched=watched)
    command = Locust().command(target, work.load)
    assert "secret" not in " ".join(command)
    given = parser().parse_args(command[3:])
    assert msgspec.json.decode(given.watch, type=WatchedProcesses) == WatchedProcesses(
        1,
        2,
        Address("/tmp/s", "", 5432),  # noqa: S108
    )
    assert (given.headless, given.json, given.host) == (True, True, target.url)
    assert (given.shape, given.user) == ("Steps", "Reporter")
    assert "--steps-stages=5:4 9:4 0:4" in given.locust
    window = msgspec.structs.replace(work.load, duration_s=0.4)
    given = parser().parse_args(Locust().command(target, window)[3:])
    assert given.shape == ""
    assert given.locust == ["--fail-ratio", "100%", "-u", "9", "-r", "9", "-t", "1s"]


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the list of server.py."""
    entries = [
        Entry("a-base", {"web": "a"}, "tarantool"),
        Entry("a-file", {"web": "a"}, "sqlite"),
        Entry("a-none", {"web": "a"}, None),
    ]
    found = Catalogue({"web": ["a"], "render": ["plain"]}, entries)
    monkeypatch.setattr(engines, "catalogue", lambda version=None: found)


@pytest.mark.usefixtures("listed")
def test_each_link_is_a_contender_where_there_is_a_database() -> None:
    made = SiteScenario(name="x", title="X", contenders=("a-*",), tasks=("good",), link=(0, 0.2))
    choice = engines.choose(made)
    assert [(one.label, one.factors["link"]) for one in choice.contenders] == [
        ("a-base, link 0 ms", "0 ms"),
        ("a-base, link 0.2 ms", "0.2 ms"),
        ("a-file, link 0 ms", "0 ms"),
        ("a-none, link 0 ms", "0 ms"),
    ]
    assert choice.left_out == [
        f"{name} over a link: it has no database server" for name in ("a-file", "a-none")
    ]


@pytest.mark.parametrize("wrong", [[-1], ["x"], [2, 2]])
def test_a_link_is_a_time(wrong: list[Any]) -> None:
    with pytest.raises(RaceError, match="link"):
        read.from_json({**LEAST, "link": wrong})


def test_levels_of_a_link_are_milliseconds() -> None:
    assert [link.level(one) for one in (0, 0.2, 2.0)] == ["0 ms", "0.2 ms", "2 ms"]
    assert link.milliseconds(records.contender("a", factors={"link": "0.2 ms"}), link.LINK) == 0.2
    assert link.milliseconds(records.contender("a"), link.DISTANCE) == 0.0
