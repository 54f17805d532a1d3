"""All results in one picture: groups of bars, their scales and their intervals."""

from __future__ import annotations

import math
import re
from dataclasses import replace

from race.analysis.analyse import analyse
from race.analysis.model import Analysis, Spread
from race.analysis.values import rate, values
from race.report import html
from race.report.chapters.picture import alike, interval
from race.report.charts.colours import Look
from race.report.charts.groups import Group, groups, shorter
from race.report.charts.rows import Bar
from race.report.charts.svg import drawing
from race.saved.reader import SavedRace
from race.stats.signed_rank import hodges_lehmann
from tests.support.synthetic import ARTICLE, BASELINE
from tests.unit.race.reading import section
from tests.unit.race.report.test_drawn import attributes

LOOK = Look("quick", "quick <one>", "red", False)
LONG = Look("long", "a" * 30 + "b" * 30, "blue", True)


def test_bars_of_a_panel_have_one_scale_and_a_thin_line_each() -> None:
    slow = Group("Good", [Bar(LOOK, 100, "100", Spread(100, 50, 200)), Bar(LONG, 0, "failed")])
    found = str(drawing([groups([slow, Group("Bad", [Bar(LOOK, 29, "29")])], "Rates")], "", ""))
    assert attributes(found, "rect", "width") == [round(100 / 2.9, 2), 0, 10]
    assert re.findall(r'class="group"[^>]*>(\w+)<', found) == ["Good", "Bad"]
    assert attributes(found, "line", "x2")[-1] == round(200 / 2.9, 2)
    assert "quick &lt;one&gt;" in found
    assert "a" * 14 + "…" + "b" * 14 in found


def test_groups_that_are_far_apart_have_scales_of_their_own() -> None:
    found = [Group(str(end), [Bar(LOOK, end, "")]) for end in (2000, 4000, 90_000, 3000, 100_000)]
    titles = [[int(group.title) for group in panel] for panel in alike(found)]
    assert titles == [[2000, 4000, 3000], [90_000, 100_000]]


def test_the_thin_line_is_the_interval_of_the_rate(found: Analysis, article: SavedRace) -> None:
    comparison = next(one for one in found.closed() if one.work.task == "good")
    item = comparison.result(BASELINE)
    assert item is not None
    rates = values(found.counted, rate)[comparison.work][BASELINE]
    spread = interval(comparison, item, rates)
    assert spread is not None
    assert item.throughput is not None
    rounds = hodges_lehmann(list(rates.values()))
    assert spread.low < math.exp(rounds.low) < spread.median < math.exp(rounds.high) < spread.high
    assert item.throughput.low < spread.low
    assert spread.high < item.throughput.high
    few = [cell for cell in article.cells if cell.round <= 4]
    text = section(html.page(analyse(replace(article, cells=few))), "picture")
    assert "the range over rounds" in text


def test_every_engine_stands_in_every_group(article_page: str) -> None:
    text = section(article_page, "picture")
    titles = re.findall(r'class="group"[^>]*>([^<]+)<', text)
    assert titles[:2] == ["Index", "Good"]
    assert {"Ugly", "Ugly, 24 pipelined"} < set(titles)
    names = re.findall(r'class="value"[^>]*>([^<]+)<', text)
    assert len(names) == len(titles) * len(ARTICLE)
    assert names[: len(ARTICLE)] == names[len(ARTICLE) : 2 * len(ARTICLE)]
    assert "failed" in text
    assert "95 % interval of the rate" in text


def test_long_names_lose_the_parts_that_most_have_and_stay_distinct() -> None:
    short = ["aiohttp-one", "aiohttp-pool"]
    assert shorter(short) == ({name: name for name in short}, [])
    names = [
        "a-postgres-uvloop",
        "starlette-granian-postgres-uvloop",
        "a-uvloop",
        "flask-psycopgsync",
    ]
    found, left_out = shorter(names)
    # Without "postgres", two would be called "a-uvloop"; half have it in any case.
    assert left_out == ["uvloop"]
    assert found["starlette-granian-postgres-uvloop"] == "starlette-granian-postgres"
    assert len({*found.values()}) == len(names)
