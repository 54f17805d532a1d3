"""The report takes words, tasks, factors and meters from the discipline."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from msgspec.structs import replace as changed

from race.analysis.analyse import analyse
from race.report import html, markdown
from race.report.charts.colours import palette
from race.saved.head import Environment
from race.saved.model import Cell
from race.saved.reader import SavedRace
from tests.support import records
from tests.support.synthetic import SMALL
from tests.unit.race.reading import shown

TOOLS = changed(
    records.TOOLS,
    parties=["client", "generator", "store"],
    factors={"language": [], "mode": ["sync", "async", "chunks"]},
    tasks={"select": "Nine rows", "insert": "One row"},
    meters={"watts": "W"},
    task_texts={"select": "Nine rows come back.", "insert": "One row goes in."},
    level_texts={"mode": {"chunks": "several at a time"}},
)
DRIVERS = {
    "go": {"language": "go", "mode": "sync"},
    "slow": {"language": "python", "mode": "sync"},
    "fast": {"language": "python", "mode": "async"},
    "chunky": {"language": "python", "mode": "chunks"},
}


@pytest.fixture(scope="module")
def tools(small: SavedRace) -> SavedRace:
    """The small race in the words of another discipline."""
    names = dict(zip(SMALL, ["slow", "fast", "go", "chunky", "slow"], strict=True))
    tasks = {"index": "select", "ugly": "insert"}
    cells = [
        changed(_other(cell), label=names[cell.label], task=tasks[cell.task])
        for cell in small.cells
        if cell.label in SMALL[:4]
    ]
    contenders = [records.contender(one, factors=DRIVERS[one]) for one in DRIVERS]
    head = changed(
        small.head,
        discipline=TOOLS,
        contenders=contenders,
        baseline="slow",
        scenario={"name": "x", "title": "Drivers"},
        command=["race", "x"],
        environment=Environment(),
    )
    return replace(small, cells=cells, head=head)


def _other(cell: Cell) -> Cell:
    """Metered by parties of other names, and by one meter more."""
    if cell.count is None:
        return cell
    cpu = {"client": cell.count * 20_000, "store": cell.count * 9000}
    watts = {"package": 12.5}
    saturated = "client" if cell.saturated == "server" else cell.saturated
    meters = {"cpu_ns": cpu, "watts": watts}
    return changed(cell, saturated=saturated, meters=meters, facts={"round_trips": 2})


def test_another_discipline_is_reported_in_its_own_words(tools: SavedRace) -> None:
    """Nothing in the analysis and report knows the site."""
    found = analyse(tools)
    page = html.page(found)
    text = re.sub(r"<(style|script)>.*?</\1>", "", page, flags=re.DOTALL)
    for word in (
        *("request", "engine", " page", "server", "database", "web", "uvloop", "aiohttp"),
        *("sanic", "japronto", "tarantool", "Ugly"),
    ):
        assert word not in text, word
    for part in (
        *("Operation by operation", "operations/s", "CPU µs/operation", "driver</th>"),
        *("Client and store", "Nine rows", "One row", "Client CPU, µs per operation"),
        *("async against sync", "chunks against async", "python against go"),
        *("with async or chunks", "with sync", "12.5 W", "round trips", ">client µs<"),
        *("The operations", "Nine rows come back.", "several at a time", "names of drivers"),
    ):
        assert part in text, part
    assert not re.search(r"request|engine|\bpage|server|database", markdown.page(found))
    assert not re.search(r"request|engine|\bpage|server|database", shown(found, 120))


def test_hue_is_the_first_factor_and_pale_the_plainest_level_of_the_next_with_several(
    tools: SavedRace, article: SavedRace
) -> None:
    found = analyse(tools)
    colours = palette(found)
    results = {item.label: item for item in found.comparisons[0].results}
    looks = {label: colours.look(item) for label, item in results.items()}
    assert {label: look.colour for label, look in looks.items()} == {
        "go": "var(--accent1)",
        "slow": "var(--accent2)",
        "fast": "var(--accent2)",
        "chunky": "var(--accent2)",
    }
    assert {label for label, look in looks.items() if look.pale} == {"go", "slow"}
    drawn = colours.lines(results.values())
    assert {label for label, look in drawn.items() if look.dash} == {"go", "slow"}
    assert drawn["fast"].sign != drawn["chunky"].sign
    article_colours = palette(analyse(article))
    assert article_colours.shade == "loop"  # one server
    assert (article_colours.plain, article_colours.bold) == ("asyncio", ("uvloop",))
    one_mode = changed(TOOLS, factors={"language": [], "mode": []})
    contenders = [
        changed(one, factors={**one.factors, "mode": "sync"}) for one in tools.head.contenders
    ]
    head = changed(tools.head, discipline=one_mode, contenders=contenders)
    uniform = analyse(replace(tools, head=head))
    assert palette(uniform).bold == ()
    assert not any(palette(uniform).look(item).pale for item in uniform.comparisons[0].results)
    # A level that the discipline does not name comes after those it does.
    contenders = [*article.head.contenders]
    contenders[0] = changed(contenders[0], factors={**contenders[0].factors, "web": "starlette"})
    other = replace(article, head=changed(article.head, contenders=contenders))
    assert palette(analyse(other)).accents == {
        "aiohttp": "accent1",
        "sanic": "accent2",
        "japronto": "accent3",
        "starlette": "accent4",
    }


def test_a_figure_of_any_meter_is_shown(small: SavedRace, page: str) -> None:
    """A new meter needs no change to the report."""
    for part in ("memory, server", "switches, voluntary", "CPU, generator", "database requests"):
        assert f">{part}</th>" in page
    assert "CPU, server" not in page  # the rankings have it
    cells = [
        changed(c, meters={**c.meters, "cache": {"misses": 1234}}) if c.count else c
        for c in small.cells
    ]
    discipline = changed(small.head.discipline, meters={"cache": "misses"})
    head = changed(small.head, discipline=discipline)
    text = html.page(analyse(replace(small, cells=cells, head=head)))
    assert ">cache, misses</th>" in text
    assert ">1,234 misses</td>" in text
