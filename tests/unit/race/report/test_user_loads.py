"""The report shows what users saw, in HTML, in Markdown and on the terminal."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec.structs import replace as changed

from race.analysis.analyse import analyse
from race.analysis.model import Analysis, Spread
from race.analysis.pairing import Run
from race.analysis.user_loads import ALL, user_loads, watched
from race.commands.claim import finder
from race.errors import RaceError
from race.report import format as words
from race.report import html, markdown
from race.report.claims.document import compute
from race.report.claims.pairs import task_word
from race.saved.model import Moment
from race.saved.reader import SavedRace, load
from tests.support.user_load import write
from tests.unit.race.reading import altered, section, shown
from tests.unit.race.reading import tables as marked

FIGURES = {
    "throughput@70": "23.5 a second [23.5, 23.5]",  # of the seconds 17 to 30: its windows had 70
    "connections@70": "10 [10, 10]",
    "throughput@3": "–",
}
QUERY, POOL = "aiohttp-psycopg-query", "aiohttp-psycopg-pool"


@pytest.fixture(scope="module")
def raced(tmp_path_factory: pytest.TempPathFactory) -> SavedRace:
    return load(write(tmp_path_factory.mktemp("races") / "user_load"))


@pytest.fixture(scope="module")
def found(raced: SavedRace) -> Analysis:
    return analyse(raced)


def test_nobody_is_ranked_and_nothing_is_claimed(found: Analysis) -> None:
    (comparison,) = found.comparisons
    assert not comparison.closed
    assert not comparison.ranked
    assert {item.state for item in comparison.results} == {"user-load"}
    assert found.headline is None
    assert found.effects == []


def test_pairs_differ_in_one_factor_under_the_same_conditions(found: Analysis) -> None:
    near, far = user_loads(found)
    assert [one.conditions for one in (near, far)] == ["link 0 ms", "link 2 ms"]
    assert [side.item.name for side in near.sides] == [QUERY, POOL]
    (far_pair,) = far.pairs
    near_pair, twin = near.pairs
    assert (near_pair.label, near_pair.other) == (f"{POOL}, link 0 ms", f"{QUERY}, link 0 ms")
    assert (near_pair.differ, twin.differ) == ("connection", "A/A")
    assert far_pair.p95 is not None
    assert far_pair.count is not None
    assert far_pair.p95.high < 0 < far_pair.count.low
    assert far_pair.p95.ratio == pytest.approx(0.15, abs=0.02)
    assert twin.p50 is not None
    assert twin.p50.low < 0 < twin.p50.high


def test_who_did_not_keep_up_is_shown_and_compared_by_what_went_well(raced: SavedRace) -> None:
    label = f"{QUERY}, link 0 ms"
    errors = {"status": 100}
    cells = [
        changed(one, status="overloaded", reason="too slow", errors=errors)
        if one.label == label and one.round > 1
        else one
        for one in raced.cells
    ]
    analysis = analyse(replace(raced, cells=cells))
    near, far = user_loads(analysis)
    query, pool = near.sides
    assert (query.item.state, query.late, query.cells, pool.late) == ("overloaded", 5, 6, 0)
    assert query.lost is not None
    assert query.lost.median == pytest.approx(
        100 / (100 + query.by_name[ALL].count.median), rel=0.05
    )
    assert (query.lost.low, pool.lost) == (0.0, Spread(0.0, 0.0, 0.0))
    assert (query.saturated, query.cpu_us) == ("nobody", 9000.0)
    assert query.timelines["p95"]
    pair = near.pairs[0]
    assert pair.count is not None
    assert pair.count.low > 0
    assert (pair.p50, pair.p95) == (None, None)
    assert far.pairs[0].p95 is not None
    shown = section(html.page(analysis), "user-loads")
    assert f"{label} did not keep up in 5 of 6 cells" in shown
    failed = words.spread(query.lost, words.percent)
    assert failed in shown.replace("\u00a0", " ")
    text = markdown.page(analysis)
    assert re.search(rf"{re.escape(failed)} \| 9,000 \| nobody \| 6 \|", text)
    assert f"- {label} did not keep up in 5 of 6 cells." in text


def test_a_round_in_which_nothing_went_well_is_no_ratio(raced: SavedRace) -> None:
    label = f"{QUERY}, link 0 ms"
    cells = [
        changed(one, status="overloaded", reason="too slow", count=0, throughput=0.0)
        if one.label == label and one.round == 2
        else one
        for one in raced.cells
    ]
    near, far = user_loads(analyse(replace(raced, cells=cells)))
    assert near.pairs[0].count is None
    assert far.pairs[0].count is not None


def test_timelines_are_means_over_rounds_and_parts_medians(found: Analysis) -> None:
    side = user_loads(found)[0].sides[1]
    assert [point.at for point in side.timelines["users"]] == [float(at) for at in range(1, 31)]
    # Of the first second no time is known.
    assert side.timelines["p95"][0].at == 2.0
    last = side.timelines["p95"][-1]
    assert last.low < last.mean < last.high
    assert {point.mean for point in side.timelines["connections"]} == {10.0}
    assert list(side.by_name) == [ALL, "Report 1", "Report 5"]
    assert side.by_name["Report 1"].count.median < side.by_name[ALL].count.median


def test_the_page_shows_both_sides_and_what_the_generator_cannot(found: Analysis) -> None:
    page = html.page(found)
    shown = section(page, "user-loads")
    for text in (
        "Reports, link 0 ms",
        "Reports, link 2 ms",
        "Locust rounds times to whole milliseconds",
        "Reporters by the shape Steps, up to 70",
        "connections to the database",
        "steps_rate 20",
        "Report 5",
        "Requests by page",
        "Median by page",
    ):
        assert text in shown, text
    # A panel for each of two sides and two links.
    assert shown.count("</b> p95, ms</p>") == 2 * 2
    assert "<dt>contenders</dt><dd>4</dd>" in page
    assert 'id="tasks"' not in page
    assert 'id="latency"' not in page


def test_markdown_and_terminal_compare_pairs(found: Analysis) -> None:
    pair = rf"{POOL}[ |]+{QUERY}[ |]+connection[ |]+\d.*\][ |]+0\.1\d+× \[.*\][ |]+0\.1"
    for text in (markdown.page(found), shown(found, 200)):
        assert re.search(pair, text)


def test_a_claim_is_about_what_is_compared(raced: SavedRace, found: Analysis) -> None:
    where = finder(raced.folder.parent, raced.folder.parent)
    both = (f"{POOL}, link 2 ms", f"{QUERY}, link 2 ms")

    def claim(*said: str) -> str:
        return compute(said, where)

    (pair,) = user_loads(found)[1].pairs
    expected = {"count": pair.count, "p50": pair.p50, "p95": pair.p95}
    for name, estimate in expected.items():
        assert claim("user-load", "user_load", "reports:Steps", *both, name) == str(estimate)
    assert claim("latency", "user_load", "reports:Steps", both[1], "p95").endswith(" ms")
    assert re.fullmatch(
        r"[\d,]+ ms \[.*\]", claim("seen", "user_load", "reports:Steps", both[1], "p95")
    )
    fast = [f"seen user_load reports:Steps {both[0]!r} {one}" for one in FIGURES]
    assert [claim(*shlex.split(words)) for words in fast] == list(FIGURES.values())
    with pytest.raises(RaceError, match="unknown part 'Report 9': there are all, Report 1, Rep"):
        claim("seen", "user_load", "reports:Steps", both[1], "p50:Report 9")
    with pytest.raises(
        RaceError, match="unknown figure of a user load 'fail': did you mean 'failed'"
    ):
        claim("seen", "user_load", "reports:Steps", both[1], "fail")
    with pytest.raises(RaceError, match="unknown figure of a user load 'p96': did you mean 'p95'"):
        claim("user-load", "user_load", "reports:Steps", *both, "p96")
    with pytest.raises(RaceError, match="unknown engine 'x'"):
        claim("user-load", "user_load", "reports:Steps", "x", both[1], "p95")


def test_a_race_without_user_loads_has_no_chapter_of_them(small: SavedRace, tmp_path: Path) -> None:
    assert user_loads(analyse(small)) == []
    assert 'id="user-loads"' not in html.page(analyse(small))
    assert html.page(analyse(load(write(tmp_path / "short", rounds=1))))


def test_what_was_watched_without_a_user_load_is_drawn_too(small: SavedRace) -> None:
    """Ranked as ever; over time stands what its database saw."""
    timeline = [
        Moment(at=at / 20, throughput=350.0, connections=40, active=at % 7) for at in range(1, 21)
    ]
    more = {"peak_bytes": {"server": 61_000_000}}
    raced = analyse(
        altered(
            small, lambda cell: changed(cell, timeline=timeline, meters={**cell.meters, **more})
        )
    )
    found = watched(raced)
    assert [one.comparison for one in found] == raced.comparisons
    for one in found:
        for side in one.sides:
            assert [point.at for point in side.timelines["active"]] == [
                round(at / 20, 3) for at in range(1, 21)
            ]
            assert {point.mean for point in side.timelines["connections"]} == {40.0}
            asked = ["watched", "small", task_word(one.comparison.work), side.item.label]
            for figure, text in {"connections": "40", "active": "6"}.items():
                assert compute([*asked, figure], lambda name: Run.analysed(raced)) == text
    page = html.page(raced)
    shown = section(page, "user-loads")
    assert "connections to the database" in shown
    assert "61 MB" in shown
    assert shown.count("All on one graph") == len(found)
    assert "Users who think" not in shown
    assert 'id="tasks"' in page
    text = markdown.page(raced)
    assert "seconds, connections, memory" in text
    for one in found:
        if not one.comparison.closed:
            continue
        _, table = marked(text)[one.comparison.place]
        names = ["requests", "seconds", "connections open", "connections in use", "memory at most"]
        assert table[0] == ["engine", *names]
        rows = {row[0]: row[1:] for row in table[1:]}
        for side in one.sides:
            count, rate = side.by_name[ALL].count.median, side.item.throughput
            assert rate is not None
            expected = [f"{count:,.0f}", words.number(count / rate.median), "40", "6", "61 MB"]
            assert rows[side.item.label] == expected
    assert watched(analyse(small)) == []
