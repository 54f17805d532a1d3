"""Lower bounds, saturated parties, pairs that disagree: all that a report must not hide."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec.structs import replace as changed

from race.analysis.analyse import analyse
from race.analysis.model import Analysis
from race.report import html, markdown, sentences
from race.saved.model import Cell, WarmUp
from race.saved.reader import SavedRace, load
from race.terminal.phrases import figures
from tests.support.synthetic import BASELINE, SMALL, Recipe, failed, write
from tests.unit.race.reading import altered, bound, section, shown

FAST, SECOND = SMALL[3], SMALL[2]


@pytest.fixture(scope="module")
def limited(small: SavedRace) -> Analysis:
    """The fastest engine had time to spare on Index, the others had none."""

    def change(cell: Cell) -> Cell:
        spare = (cell.label, cell.task) == (FAST, "index")
        return bound(cell) if spare else bound(cell, "server", 0.97)

    return analyse(altered(small, change))


def test_a_lower_bound_is_marked_and_compared_by_cpu_time(limited: Analysis) -> None:
    index = limited.comparisons[0]
    item = next(one for one in index.results if one.label == FAST)
    assert item.state == "at-least"
    cpu = f"CPU {item.cpu_ratio}"
    page, text = html.page(limited), markdown.page(limited)
    ranked = text.partition("\n## Index")[2]
    row = next(line for line in ranked.splitlines() if f" {FAST} |" in line)
    assert row.startswith("| 1 |")
    for part in ("≥ ", cpu, "nobody, server 81 %", "| 6 |"):
        assert part in row.replace("\\", "")
    tasks = section(page, "tasks")
    assert '<span class="bound">at least</span>' in tasks
    assert re.search(r"nobody <small>server 81 %</small>", tasks)
    assert f"{FAST} (no core was saturated) is ranked by a lower bound" in tasks
    assert "≥ 1<small>CPU 0" in section(page, "glance")
    terminal = shown(limited)
    assert cpu in terminal
    assert re.search(rf"1 {FAST}\s+≥", terminal)
    assert max(map(len, terminal.splitlines())) <= 80


@pytest.mark.parametrize("party", ["nobody", "generator"])
def test_the_terminal_names_who_was_saturated_within_80_columns(
    small: SavedRace, party: str
) -> None:
    def change(cell: Cell) -> Cell:
        return bound(cell, party if cell.label == FAST else "server", 0.81)

    lines = shown(analyse(altered(small, change))).splitlines()
    row = next(number for number, line in enumerate(lines) if "≥" in line)
    assert "81 %" in lines[row]
    assert party in lines[row + 1].split()
    assert max(map(len, lines)) <= 80


def test_a_limit_that_is_not_known_is_a_lower_bound_and_says_why(small: SavedRace) -> None:
    why = "the database could not be seen"
    analysis = analyse(altered(small, lambda c: changed(c, saturated=None, saturated_unknown=why)))
    # At a rate that all kept, CPU time says something whoever was saturated.
    assert analysis.headline is not None
    assert (analysis.headline.rate, analysis.headline.declared) == (4000.0, False)
    assert analysis.effects == []
    assert not any(comparison.ranked for comparison in analysis.comparisons)
    item = next(one for one in analysis.comparisons[0].results if one.label == FAST)
    assert (item.state, item.saturated, item.ranks, item.ratio) == ("at-least", None, None, None)
    unknown = f"who was saturated is not known: {why}"
    assert item.reason == f"{unknown} in 6 of 6 cells: this is a lower bound"
    assert item.cpu_ratio is not None
    (expected,) = (text for text in analysis.trust.warnings if text.startswith("Who was saturated"))
    assert f"cells ({why}): requests/s may be a lower bound there" in expected
    for text in (html.page(analysis), markdown.page(analysis)):
        assert expected in text.replace("\u00a0", " ")
        assert f"({unknown})" in text
    assert f"CPU {item.cpu_ratio}" in markdown.page(analysis)
    assert "Who was saturated" not in " ".join(analyse(small).trust.warnings)


def test_one_whose_limit_is_not_known_is_ranked_below_the_others(small: SavedRace) -> None:
    def change(cell: Cell) -> Cell:
        """Drop the saturated party of one cell, and give no reason."""
        unseen = (cell.label, cell.task) == (FAST, "index")
        return changed(cell, saturated=None) if unseen else cell

    analysis = analyse(altered(small, change))
    index = analysis.comparisons[0]
    states = {item.label: item.state for item in index.results}
    assert states.pop(FAST) == "at-least"
    assert "ranked" in states.values()
    assert "not known: the saved cells do not say why)" in sentences.bounds(index)


def test_a_verdict_names_all_that_differs_when_that_is_more_than_one_factor(
    small: SavedRace,
) -> None:
    two = replace(small, cells=[c for c in small.cells if c.label in SMALL[:2]])
    first = sentences.verdict(analyse(small).comparisons[0])
    second = sentences.verdict(
        next(one for one in analyse(two).comparisons if one.work.task == "ugly")
    )
    assert f"{FAST} is first" in first
    next_one = r"times the rate of \S+, the next in order\."
    differ = r" They differ in web, loop \(.*\) and python \(.*\)\.$"
    assert re.search(next_one + differ, first)
    assert re.search(next_one + "$", second)


def test_rankings_have_no_percentiles(page: str, small: SavedRace) -> None:
    race = replace(small, cells=[c for c in small.cells if c.load.rate is None])
    closed = analyse(race)
    for text in (section(page, "tasks"), markdown.page(closed), shown(closed)):
        assert "p99" not in text
    assert "p99 ms" in section(page, "cells")
    assert 'id="latency"' not in html.page(closed)
    cell = next(c for c in race.cells if c.count)
    timed = changed(cell, latency_us={**cell.latency_us, "p99": 9000.0})
    assert "p99" not in figures(timed, small.head.discipline)


def test_connections_are_those_that_were_open(small: SavedRace) -> None:
    raised = analyse(altered(small, lambda c: changed(c, connections_used=400)))
    comparison = raised.closed()[0]
    assert comparison.load == "400 connections"
    page = html.page(raised)
    for text in (section(page, "tasks"), section(page, "meters"), shown(raised)):
        assert "400 connections" in text
        assert "100 connections" not in text
    assert "400 connections" in markdown.page(raised)
    uneven = altered(small, lambda c: changed(c, connections_used=400 if c.label == FAST else 100))
    assert analyse(uneven).closed()[0].load == "100 to 400 connections"


def test_who_stands_above_a_higher_rate_has_the_reason_beside_it(small: SavedRace) -> None:
    found = analyse(small).closed()[0]
    assert sentences.order(found) == ""
    first, second, *others = found.results
    assert first.throughput
    raised = replace(first.throughput, median=2 * first.throughput.median)
    higher = replace(found, results=[first, replace(second, throughput=raised), *others])
    assert f"{first.label} stands above {second.label}, whose median rate" in sentences.order(
        higher
    )


def test_every_pair_is_shown_and_no_mean_where_they_disagree(
    found: Analysis, article_page: str
) -> None:
    text = section(article_page, "effects")
    split = [one for _, one in found.effects if not one.agree]
    whole = [one for _, one in found.effects if one.agree and len(one.pairs) > 1]
    assert split
    assert whole
    for effect in (*split, *whole):
        for estimate in effect.estimates:
            assert f"<span>{str(estimate).partition(' ')[0]}</span>" in text
    assert "pairs disagree, p " in text
    assert f"{whole[0].estimate}, p " in text
    # Limits are rounded outwards; cut digits would round one of them inwards.
    means = [one.estimate for _, one in found.effects if one.estimate]
    assert any(re.search(r"\.\d{3}", str(one)) for one in means)
    assert all(f">{one}" in text for one in means)
    assert "japronto (the nearest differ in web and python)" in text


def test_disturbance_and_warm_ups_are_shown(small: SavedRace) -> None:
    def change(cell: Cell) -> Cell:
        cores = {"steal": 0.0, "foreign": -0.01 if cell.task == "index" else 0.004}
        late = cell.label == FAST and cell.load.pipeline == 1
        # A warm-up of one window has nothing to agree with.
        warm_up = WarmUp(3, agreed=not late) if cell.task == "ugly" else WarmUp(1, agreed=None)
        return changed(cell, meters={**cell.meters, "cores": cores}, warm_up=warm_up)

    race = altered(small, change)
    idle = {"foreign": -0.0031, "steal": 0.0004, "seconds": 1.0}
    found = analyse(replace(race, head=changed(race.head, idle=idle)))
    text = section(html.page(found), "validity")
    known = [cell for cell in found.counted if cell.task == "ugly"]
    assert f"still differed</dt><dd>6 of {len(known)}</dd>" in text
    assert "median −1.0 %, from −1.0 % to +0.4 %" in text
    assert "−0.3 % over 1.0 s" in text
    assert "before the race" not in html.page(analyse(race))


def test_an_answer_has_bytes_headers_and_requests(small: SavedRace) -> None:
    def change(cell: Cell) -> Cell:
        own = {"body_bytes": 4321, "header_bytes": 150, "database_upkeep": 0}
        other = {**own, "header_bytes": 210} if cell.label == SECOND else own
        return changed(cell, facts={**cell.facts, **other})

    text = section(html.page(analyse(altered(small, change))), "tasks").partition("answers")[2]
    for name in ("body bytes", "header bytes", "database upkeep", "database requests"):
        assert f">{name}</th>" in text
    body = text.partition("<tbody>")[2]
    rows = re.findall(r'<tr><th scope="row"[^>]*>(\w+)', body)
    assert rows == ["Index", "Index", "Ugly", "Ugly"]
    assert re.search(rf'title="{SECOND}">[\w-]+</span></td>.*>210</td>', body)
    same = analyse(altered(small, lambda c: changed(c, facts={"headers": 5})))
    assert re.search('class="names"[^>]*>all</td>', html.page(same))


def test_cells_that_do_not_count_keep_their_raw_figures(small: SavedRace) -> None:
    one = next(c for c in small.cells if c.count and c.task == "ugly" and c.label == BASELINE)
    lost = changed(one, status="failed", reason="the page was wrong after the load")
    zero = changed(one, round=0)
    cells = [lost if c is one else c for c in small.cells]
    text = section(html.page(analyse(replace(small, cells=[zero, *cells]))), "cells")
    rows = [row for row in text.split("<tr") if "the page was wrong" in row]
    assert len(rows) == 1
    assert "class=lost" in rows[0]
    assert f"{lost.throughput:,.0f}?" in rows[0]
    assert text.count("<td>calibration") == 1
    expected = figures(lost, small.head.discipline)
    assert expected.startswith(f"FAILED: {lost.reason} ({lost.throughput:,.0f} requests/s")


def test_a_page_says_how_rounds_were_ordered_and_what_was_measured_again(small: SavedRace) -> None:
    page = html.page(analyse(small))
    assert "every second one in the reverse order of the one before" in page
    assert "<dt>cells measured again</dt><dd>1</dd>" in page


def test_a_pipelined_lower_bound_is_named_under_its_curve(tmp_path: Path) -> None:
    race = load(write(tmp_path / "race", Recipe(engines=SMALL, pages=("ugly",), rounds=6)))
    text = section(html.page(analyse(race)), "pipelining")
    assert f"At least (≥): {FAST} on Ugly, 24 pipelined." in text


def test_a_race_of_failed_cells_alone_has_a_report(small: SavedRace) -> None:
    page = html.page(analyse(altered(small, failed)))
    assert "dead" in section(page, "cells")
    assert 'id="pipelining"' not in page
