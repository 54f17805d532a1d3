"""Which contenders a scenario of the site has: engines, interpreters, ways to render, workers."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from race.errors import RaceError
from race.web import engines
from race.web import load as generators
from race.web.discipline import Web
from race.web.engines import Catalogue, Entry
from race.web.load.wrk import Wrk
from race.web.scenario import HttpLoad, Program, SiteScenario
from race.web.servers import Launcher

ENTRIES = [
    Entry("one-memory", {"web": "one"}, None),
    Entry("one-base", {"web": "one"}, "base"),
]


@pytest.fixture(autouse=True)
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What server.py lists."""
    found = Catalogue({"web": ["one"], "render": ["plain", "fast"]}, ENTRIES)
    monkeypatch.setattr(engines, "catalogue", lambda version=None: found)


def scenario(
    render: tuple[str, ...] = (),
    workers: tuple[int, ...] = (1,),
    contenders: tuple[str, ...] = ("one-base",),
    programs: Sequence[str] = (),
) -> SiteScenario:
    return SiteScenario(
        name="x",
        title="X",
        contenders=contenders,
        tasks=("good",),
        render=render,
        workers=workers,
        programs={name: Program(command=("x",)) for name in programs},
    )


@pytest.mark.parametrize(
    ("render", "labels"),
    [
        ((), ["one-base"]),
        (("plain",), ["one-base"]),
        (("fast",), ["one-base, fast"]),
        (("plain", "fast"), ["one-base", "one-base, fast"]),
    ],
)
def test_a_label_names_what_is_not_plain(render: tuple[str, ...], labels: list[str]) -> None:
    choice = engines.choose(scenario(render))
    assert [one.label for one in choice.contenders] == labels
    found = [one.factors["render"] for one in choice.contenders]
    assert found == list(render or ("plain",))


def test_ways_to_render_are_crossed_with_workers() -> None:
    choice = engines.choose(scenario(("plain", "fast"), (1, 2)))
    assert [one.label for one in choice.contenders] == [
        "one-base, 1 worker",
        "one-base, 2 workers",
        "one-base, fast, 1 worker",
        "one-base, fast, 2 workers",
    ]


def test_a_program_renders_in_its_own_way() -> None:
    choice = engines.choose(scenario(("fast",), contenders=("own",), programs=["own"]))
    (own,) = choice.contenders
    assert own.label == "own"
    assert "render" not in own.factors


def test_no_factor_tells_what_a_program_runs() -> None:
    choice = engines.choose(scenario((), contenders=("own", "one-base"), programs=["own"]))
    assert {one.label: one.described for one in choice.contenders} == {
        "own": False,
        "one-base": True,
    }


def test_a_way_to_render_that_is_none_names_the_nearest() -> None:
    with pytest.raises(RaceError, match=r"^unknown way to render 'fats': did you mean 'fast'\?$"):
        engines.choose(scenario(("fats",)))


def test_the_server_is_told_what_is_not_plain() -> None:
    race = scenario(("plain", "fast"))
    plain, fast = engines.choose(race).contenders
    launcher = Launcher(race)
    assert "--render" not in launcher.command(plain)
    words = launcher.command(fast)
    assert words[words.index("--render") + 1] == "fast"


@pytest.mark.parametrize("pythons", [("3.99",), ("found", "3.99"), ("new",)])
def test_an_interpreter_that_is_not_here_is_one_line(
    pythons: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "found_pythons", lambda: ["3.7", "3.13"])
    with pytest.raises(RaceError) as caught:
        engines.choose(replace(scenario(), pythons=pythons))
    assert re.match(rf"no environment for CPython {pythons[-1]}, only for 3", str(caught.value))


@pytest.mark.parametrize(
    ("name", "rates", "missing"),
    [("wrk", (), True), ("oha", (100.0,), True), ("oha", (), False)],
)
def test_a_race_whose_generator_is_missing_is_refused(
    name: str, rates: tuple[float, ...], missing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Here(Wrk):
        def missing(self) -> str | None:
            return None

    class Missing(Wrk):
        def missing(self) -> str | None:
            return f"{name} is not installed"

    monkeypatch.setattr(generators, "find", lambda one: Missing() if one == name else Here())
    chosen = replace(scenario(), load=HttpLoad(rates=rates))
    if missing:
        with pytest.raises(RaceError, match=f"^{name} is not installed$"):
            Web().choose(chosen)
    else:
        assert len(Web().choose(chosen).contenders) == 1
