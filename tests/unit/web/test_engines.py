"""Which contenders a scenario of the site has: engines, interpreters, ways to render, workers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import pytest
from msgspec.structs import replace

from race import load as generators
from race.errors import RaceError
from race.load.wrk import Wrk
from race.machine.describe import python_of
from race.web import engines
from race.web.catalogue import Catalogue, Entry
from race.web.discipline import SiteDiscipline
from race.web.scenario import Hosts, HttpLoad, Program, SiteScenario
from race.web.servers import Launcher

ENTRIES = [
    Entry("one-memory", {"web": "one"}, None),
    Entry("one-base", {"web": "one"}, "base"),
]


@pytest.fixture(autouse=True)
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the list of server.py."""
    found = Catalogue({"web": ["one"], "render": ["plain", "fast"]}, ENTRIES)
    monkeypatch.setattr(engines, "catalogue", lambda version=None: found)


def scenario(
    render: tuple[str, ...] = (),
    workers: tuple[int | Literal["cores"], ...] = (1,),
    contenders: tuple[str, ...] = ("one-base",),
) -> SiteScenario:
    programs = {"own": Program(command=("x",))}
    return SiteScenario(
        name="x",
        title="X",
        contenders=contenders,
        tasks=("good",),
        render=render,
        workers=workers,
        programs={name: one for name, one in programs.items() if name in contenders},
    )


def test_a_server_listens_where_its_generator_reaches_it() -> None:
    far = replace(scenario(contenders=("one-base", "own")), hosts=Hosts(generator="far"))
    choice = engines.choose(far)
    (contender,) = choice.contenders
    assert choice.left_out == [f"own: {engines.NEAR}"]
    words = Launcher(far, "192.0.2.1").command(contender)
    assert words[words.index("--host") + 1] == "192.0.2.1"
    assert "--host" not in Launcher(scenario()).command(contender)


def test_what_runs_on_another_machine_is_what_it_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = [
        Entry("there", {"python": "3.12"}, "tarantool"),
        Entry("there-mysql", {"python": "3.12"}, "mysql"),
        Entry("there-sqlite", {"python": "3.12"}, "sqlite"),
    ]
    monkeypatch.setattr(engines, "_there", lambda given: Catalogue({}, listed))
    missing = {"mysql": "no MariaDB here", "tarantool": None}
    monkeypatch.setattr(engines, "missing_here", missing.get)
    far = replace(scenario(contenders=("there*", "own")), hosts=Hosts(server="far:/site"))
    choice = engines.choose(far)
    assert [one.name for one in choice.contenders] == ["there"]
    assert choice.left_out == [
        "there-mysql: no MariaDB here",
        "there-sqlite: sqlite is a file there",
        f"own: {engines.NEAR}",
    ]


@pytest.mark.parametrize(
    ("race", "labels"),
    [
        (scenario(), {"one-base": "plain"}),
        (scenario(("plain",)), {"one-base": "plain"}),
        (scenario(("plain", "fast")), {"one-base": "plain", "one-base, fast": "fast"}),
        (
            scenario(("plain", "fast"), (1, 2)),
            {
                "one-base, 1 worker": "plain",
                "one-base, 2 workers": "plain",
                "one-base, fast, 1 worker": "fast",
                "one-base, fast, 2 workers": "fast",
            },
        ),
        # Several workers need a database that they share.
        (scenario((), (1, 2), ("one-memory",)), {"one-memory, 1 worker": "plain"}),
        # A program renders in its own way, and no factor tells what it runs.
        (
            scenario(("fast",), contenders=("own", "one-base")),
            {"own": None, "one-base, fast": "fast"},
        ),
    ],
)
def test_a_label_names_what_is_not_plain(race: SiteScenario, labels: dict[str, str | None]) -> None:
    contenders = engines.choose(race).contenders
    assert {one.label: one.factors.get("render") for one in contenders} == labels
    assert {one.label: one.described for one in contenders} == {
        label: label != "own" for label in labels
    }
    for one in contenders:
        words = Launcher(race).command(one)
        assert ("--render" in words) == (one.factors.get("render") == "fast")


@pytest.mark.parametrize(
    ("cores", "numbers", "left_out"),
    [
        ([1, 2, 3], ["1", "2", "3"], []),
        ([1], ["1"], ["more than one worker: this machine has one core"]),
    ],
)
def test_cores_stand_for_the_workers_up_to_their_number(
    monkeypatch: pytest.MonkeyPatch, cores: list[int], numbers: list[str], left_out: list[str]
) -> None:
    monkeypatch.setattr(engines, "worker_counts", lambda: cores)
    found = engines.choose(scenario(workers=("cores",)))
    assert [one.factors["workers"] for one in found.contenders] == numbers
    assert found.left_out == left_out


def test_the_factors_of_a_program_describe_it() -> None:
    known = {"own": Program(command=("x",), factors={"web": "flask"})}
    race = replace(scenario((), contenders=("own",)), programs=known)
    (one,) = engines.choose(race).contenders
    assert (one.factors["web"], one.described) == ("flask", True)
    wrong = {"own": Program(command=("x",), factors={"wbe": "flask"})}
    with pytest.raises(RaceError, match="unknown factor of program own 'wbe': did you mean 'web'"):
        engines.choose(replace(race, programs=wrong))


def test_a_deadline_is_for_engines_and_not_for_programs() -> None:
    race = replace(scenario((), contenders=("own", "one-base")), deadline=30.0)
    given = {
        one.name: "--deadline" in Launcher(race).command(one)
        for one in engines.choose(race).contenders
    }
    assert given == {"own": False, "one-base": True}


def test_an_unknown_way_to_render_names_the_nearest() -> None:
    with pytest.raises(RaceError, match=r"^unknown way to render 'fats': did you mean 'fast'\?$"):
        engines.choose(scenario(("fats",)))


@pytest.mark.parametrize("pythons", [("3.99",), ("found", "3.99"), ("new",)])
def test_an_interpreter_that_is_not_here_is_one_line(
    pythons: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "found_pythons", lambda: ["3.7", "3.13"])
    with pytest.raises(RaceError) as caught:
        engines.choose(replace(scenario(), pythons=pythons))
    assert re.match(rf"no environment for CPython {pythons[-1]}, only for 3", str(caught.value))


def test_builds_are_environments_that_servers_run_in(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = [str(tmp_path / name) for name in ("plain", "fast")]
    for folder in found:
        (tmp_path / folder / "bin").mkdir(parents=True)
        (tmp_path / folder / "bin" / "python").touch()
    monkeypatch.setattr(engines, "found_builds", lambda: found)
    race = replace(scenario(), builds=("found",))
    contenders = engines.choose(race).contenders
    assert [one.factors["build"] for one in contenders] == found
    for one, folder in zip(contenders, found, strict=True):
        assert one.label == f"one-base@{folder}"
        assert Launcher(race).command(one)[-2:] == ["--python", folder]
        assert python_of(one) == Path(folder, "bin", "python")


@pytest.mark.parametrize(
    ("builds", "pythons", "why"),
    [
        (("found",), (), "builds race two or more environments .* and here is .venv: for another"),
        (("nowhere",), (), "no environment in the folder nowhere: run make env PYTHON="),
        (("found",), ("found",), "builds and pythons both choose interpreters: give one of them"),
    ],
)
def test_builds_that_cannot_race_are_one_line(
    builds: tuple[str, ...], pythons: tuple[str, ...], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "found_builds", lambda: [".venv"])
    with pytest.raises(RaceError, match=f"^{why}"):
        engines.choose(replace(scenario(), builds=builds, pythons=pythons))


@pytest.mark.parametrize(("name", "rates"), [("wrk", ()), ("oha", (100.0,)), ("oha", ())])
def test_a_race_whose_generator_is_missing_is_refused(
    name: str, rates: tuple[float, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Absent(Wrk):
        def __init__(self, one: str) -> None:
            self.one = one

        def missing(self) -> str | None:
            return f"{name} is not installed" if self.one == name else None

    monkeypatch.setattr(generators, "find", Absent)
    chosen = replace(scenario(), load=HttpLoad(rates=rates))
    if name == "oha" and not rates:
        assert len(SiteDiscipline().choose(chosen).contenders) == 1
    else:
        with pytest.raises(RaceError, match=f"^{name} is not installed$"):
            SiteDiscipline().choose(chosen)
