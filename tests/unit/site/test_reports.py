"""The reports' HTML: drawn in whole numbers, escaped, the same on every interpreter."""

from __future__ import annotations

import asyncio
import re
from itertools import pairwise

import pytest

from data_interface.memory_store import MemoryStore
from data_interface.reports.rows import (
    Contested,
    Duel,
    HourOfDay,
    Leader,
    Mover,
    Newest,
    PackRanking,
    Ratings,
    RatingSpread,
    Report,
    Today,
    Trend,
    VoteCounts,
    VoterDay,
    Voters,
    Winner,
    voter_of,
)
from handlers.render import RENDERERS, charts, texts, views
from handlers.render.reports import CHAPTERS
from tests.unit.site.test_render import HOSTILE, Outline, made, visible

NOW = 1_777_638_896


def samples(title: str = "Brave Crab") -> list[Report]:
    figures = VoteCounts(1_234, 56)
    return [
        Today(figures, VoteCounts(0, 0), list(range(24)), [5] * 24, [Winner(7, title, 3)]),
        Newest([Duel(NOW - 90, 7, title, 8, title)], figures, figures, figures, [1] * 60),
        Ratings(
            [(-30, 1), (-1, 5), (0, 9), (30, 2)],
            RatingSpread(17, -150, -8, 0, 8, 140),
            [(0, 3), (40, 1)],
            [Contested(7, title, 40, 41)],
            [Mover(7, title, 12, 5)],
            [Mover(8, title, -12, -5)],
        ),
        PackRanking(
            [
                Trend(1, title, 9, 2, 3, 1, [1, -1, 2] * 10, Leader(7, title, 12)),
                Trend(2, title, 2, 2, 0, 0, [0] * 30, None),
                Trend(3, title, 1, 4, -1, 4, [-1] * 30, Leader(8, title, 1)),
            ],
            [],
            [1000] * 30,
        ),
        Voters(
            figures,
            figures,
            [HourOfDay(9, hour) for hour in range(24)],
            list(range(168)),
            [(1, 10), (2, 5), (30, 1)],
            [(1, 4), (3, 2), (100, 1)],
            [VoterDay(9, 3)] * 30,
        ),
    ]


async def _empty() -> list[Report]:
    store = MemoryStore()
    return [
        await store.today(NOW),
        await store.newest(NOW),
        await store.ratings(NOW),
        await store.ranking(NOW),
        await store.voters(NOW),
    ]


EMPTY = asyncio.run(_empty())


@pytest.mark.parametrize("title", ["Brave Crab", *HOSTILE])
@pytest.mark.parametrize("other", list(RENDERERS)[1:])
def test_all_renderers_give_the_same_bytes(title: str, other: str) -> None:
    renderers = [made(name) for name in ("jinja", other)]
    for report in [*samples(title), *EMPTY]:
        first, second = [renderer.report(report, NOW) for renderer in renderers]
        assert second == first


@pytest.mark.parametrize("report", [*samples(), *EMPTY], ids=lambda it: type(it).__name__)
def test_a_report_is_tidy_and_keeps_to_the_policy(report: Report) -> None:
    page = made("jinja").report(report, NOW)
    lines = page.decode().split("\n")
    assert (lines[0], lines[-1]) == ("<!doctype html>", "</html>")
    assert all(line and line == line.strip() for line in lines)
    assert not re.search(rb"https?:|data:|url\(|@import|[\"'=]\s*//", page)
    outline = Outline(page)
    assert "style" not in outline.names()
    for tag, attributes in outline.tags:
        assert not [key for key in attributes if key == "style" or key.startswith("on")]
        assert tag != "img" or {"width", "height", "alt"} <= attributes.keys()
        assert (
            tag != "svg"
            or {"role", "aria-label"} <= attributes.keys()
            or (attributes.get("aria-hidden") == "true")
        )
    chapter = CHAPTERS[type(report)]
    assert f'<a href="/reports/{chapter.number}" aria-current="page">{chapter.name}</a>' in lines
    assert '<a href="/reports/1" aria-current="page">Reports</a>' in lines


@pytest.mark.parametrize("title", HOSTILE)
def test_a_hostile_title_is_only_text(title: str) -> None:
    for tame, hostile in zip(samples(), samples(title), strict=True):
        before, after = (Outline(made("jinja").report(one, NOW)) for one in (tame, hostile))
        assert before.names() == after.names()
        assert after.text.count(visible(title)) == before.text.count("Brave Crab")


def test_numbers_are_shown_as_they_are() -> None:
    today, newest, ratings, ranking, voters = (
        made("jinja").report(one, NOW).decode() for one in samples()
    )
    assert "<b>1,234</b> <span>votes today</span> <small>0 by now yesterday</small>" in today
    assert "<b>22.0</b> <span>votes each</span> <small>- yesterday</small>" in today
    assert '<time datetime="2026-05-01T12:33:26Z">1 May 12:33:26</time>' in newest
    assert "<b>-8 to +8</b> <span>half of them</span>" in ratings
    assert '<td class="number">+5</td><td class="number">+12</td>' in ratings
    assert re.findall(r'<td class="number (\w+)">([-+]\d+)</td>', ranking) == [
        ("up", "+3"),
        ("level", "+0"),
        ("down", "-1"),
    ]
    assert "<b>37 %</b> <span>came back</span>" in voters


def test_a_report_of_nothing_says_so() -> None:
    pages = [made("jinja").report(one, NOW).decode() for one in EMPTY]
    for page, said in zip(
        pages,
        ["voted today", "voted yet", "None moved", "voted in 30 days", "<b>-</b>"],
        strict=True,
    ):
        assert said in page
        assert ("No votes yet" in page) == ("<code>make history</code>" in page)
    assert 'height="-' not in "".join(pages)
    today, newest, _, ranking, voters = pages
    for page in (today, newest, ranking, voters):
        assert page.count("No votes yet") == 1
        assert "<svg" not in page


def test_one_is_not_spoken_of_as_many() -> None:
    one = VoteCounts(1, 1)
    hours = [HourOfDay(1, hour) for hour in range(24)]
    reports: list[Report] = [
        Today(one, one, [1] * 24, [1] * 24, []),
        Newest([], one, one, one, [1] * 60),
        PackRanking([], [], [1] * 30),
        Voters(one, one, hours, [1] * 168, [(1, 1)], [(1, 1)], [VoterDay(1, 1)] * 30),
    ]
    for report in reports:
        html = made("jinja").report(report, NOW).decode()
        assert not re.findall(r">[^<>]*\b(?:1 (?:voters|votes)|1</b> <span>vote(?:r?s)\b)", html)
        assert re.search(r"\b1 (vote|voter)\b", html)


def boxes(page: bytes) -> list[tuple[int, int, int, int]]:
    shape = re.compile(rb'<rect[^>]* x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"')
    return [tuple(map(int, found)) for found in shape.findall(page)]  # type: ignore[misc]


def test_every_column_and_cell_is_in_the_chart() -> None:
    for report in [*samples(), *EMPTY]:
        for x, y, width, height in boxes(made("jinja").report(report, NOW)):
            assert x >= 0
            assert y >= 0
            assert width > 0
            assert x + width <= charts.WIDTH
            assert y + height <= charts.BASE


def test_columns_are_as_high_as_their_values() -> None:
    drawn = charts.columns([0, 1, 500, 1000], ["a"] * 4, [(0, "x")], [2000, 0, 0, 0])
    assert [box.height for box in drawn.columns] == [0, 1, 41, 82]
    assert [box.height for box in drawn.behind] == [164, 0, 0, 0]
    assert drawn.most == 2000
    assert {box.y + box.height for box in drawn.columns} == {charts.BASE}
    edges = [(box.x, box.x + box.width) for box in drawn.columns]
    assert all(right < left for (_, right), (left, _) in pairwise(edges))


def test_cells_are_shaded_by_their_values() -> None:
    drawn = charts.heat([0, 1, 50, 99, 100] + [0] * 43, [""] * 48, ["a", "b"])
    assert [box.shade for box in drawn.cells[:5]] == [0, 1, 3, 4, charts.SHADES]
    assert [len({box.y for box in row}) for row in (drawn.cells[:24], drawn.cells[24:])] == [1, 1]


def test_a_small_line_stays_in_its_box() -> None:
    for values in ([0] * 30, [-5] * 30, [7, -20, 4] * 10):
        points = [point.split(",") for point in charts.line(values).split()]
        assert len(points) == 31
        assert all(0 <= int(x) <= charts.LINE_WIDTH for x, _ in points)
        assert all(0 <= int(y) <= charts.LINE_HEIGHT for _, y in points)


def test_groups_and_bins_lose_nobody() -> None:
    bins = [(votes, votes % 5 + 1) for votes in range(1, 90)]
    found = views.grouped(bins)
    assert [text for text, _ in found] == ["1", "2-3", "4-7", "8-15", "16-31", "32-63", "64+"]
    assert sum(count for _, count in found) == sum(count for _, count in bins)
    gathered = views.gathered([(-100, 1), (-8, 2), (0, 3), (8, 4), (9, 5)], -8, 8)
    assert (gathered[0], gathered[8], gathered[-1], sum(gathered)) == (3, 3, 9, 15)
    assert texts.span(5, -8, -8, 8) == "-36 or less"
    assert texts.span(5, 0, -8, 8) == "0 to 4"
    assert texts.span(5, 8, -8, 8) == "40 or more"


def test_a_voter_is_a_number_that_lua_has_too() -> None:
    assert voter_of(None) == 0
    assert voter_of("f" * 32) == 2**44 - 1 < 10**14
    assert voter_of("00000000001" + "f" * 21) == 1
