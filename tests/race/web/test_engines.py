"""Which contenders a scenario of the site has: engines, interpreters, ways to render, workers."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from race.errors import RaceError
from race.web import engines
from race.web.engines import Catalogue, Entry
from race.web.scenario import Program, SiteScenario
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
