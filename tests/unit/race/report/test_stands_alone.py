"""A report explains itself: its words, its rules, its marks; and its numbers agree."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from msgspec.structs import replace as changed

from race.analysis.analyse import analyse
from race.report import format as words
from race.report import html, markdown
from race.report.charts.colours import shortened
from race.report.legend import legend
from race.report.outcomes import Outcomes
from race.report.table import spreadsheet
from race.report.tables import cells
from race.run.race import described
from race.saved.head import Head
from race.saved.model import Cell, Contender, Limits
from race.saved.reader import SavedRace
from tests.support import toy
from tests.support.synthetic import BASELINE, SMALL
from tests.support.toy import Toys
from tests.unit.race.reading import alone, altered, bound, section


def entries(race: SavedRace) -> dict[str, str]:
    """Term to text, of all groups."""
    return {one.term: one.text for group in legend(analyse(race)) for one in group.entries}


def with_environment(head: Head, **changes: object) -> Head:
    return changed(head, environment=changed(head.environment, **changes))


def test_a_legend_explains_what_ran_and_nothing_else(small: SavedRace) -> None:
    found = entries(small)
    assert found["Index"] == "Two to choose from."
    assert found["Ugly"] == "Four letters: no database."
    assert "Good" not in found
    for term in ("x24", "A/A twin", BASELINE, "one", "multi", "tarantool", "uvloop", "n", "123?"):
        assert found[term], term
    assert "asyncio" in found  # in no name, but some have another
    for term in ("pool", "query", "postgres", "memory", "starlette", "prepared"):
        assert term not in found, term
    fewer = entries(alone(small, *SMALL[:2]))
    for term in ("A/A twin", "multi", "≥, at least"):
        assert term not in fewer, term
    assert legend(analyse(replace(small, cells=[]))) == []


def test_signs_are_explained_where_they_are(small: SavedRace) -> None:
    idle = altered(small, lambda c: bound(c) if c.label == SMALL[3] else c)
    assert "A lower bound" in entries(idle)["≥, at least"]
    silent = altered(small, lambda c: changed(c, no_latency="3 of 8 connections were answered"))
    assert "too few connections" in entries(silent)["–"]
    closed = replace(small, cells=[c for c in small.cells if c.load.rate is None])
    assert "a rate, as 2,000/s" in entries(small)
    assert "a rate, as 2,000/s" not in entries(closed)


def test_the_legend_is_near_the_top_of_every_form(small: SavedRace, page: str) -> None:
    assert page.index('<section id="glance">') < page.index('<section id="legend">')
    assert "<dt>Ugly</dt> <dd>Four letters: no database.</dd>" in section(page, "legend")
    text = markdown.page(analyse(small)).replace("\\", "")
    assert "- **Ugly**: Four letters: no database." in text
    assert text.index("**Ugly**") < text.index("## ")
    assert "123?" not in text  # it shows no single cells


def test_the_method_has_the_limits_of_its_race(small: SavedRace, page: str) -> None:
    text = section(page, "method")
    for part in ("docs/method.md", "3 % or, where that is more", "errors over 0.1 %"):
        assert part in text, part
    assert 'href="#method"' in page
    limits = Limits(steal=0.025, samples=1234, reruns=1)
    other = html.page(analyse(replace(small, head=changed(small.head, limits=limits))))
    for part in ("steal over 2.5 %", "fewer than 1,234 requests", "at most 1 time;"):
        assert part in section(other, "method"), part


def test_cells_add_up(small: SavedRace) -> None:
    """A cell has one outcome: counted, measured again, or not ok."""
    first = next(c for c in small.cells if c.count and c.round == 1)
    again = changed(first, started_at="2026-11-20T21:00:00.000+00:00")
    zero = changed(first, round=0)
    race = replace(small, cells=[zero, *small.cells, again])
    analysis = analyse(race)
    outcomes = Outcomes(analysis)
    assert outcomes.measured == len(small.cells) + 1
    assert sum(outcomes.tally.values()) == outcomes.measured
    assert outcomes.tally["counted"] == len(analysis.counted)
    assert outcomes.tally["measured again"] == outcomes.again == 2
    assert outcomes.status(first) == "ok, measured again"
    assert outcomes.status(again) == "ok"
    assert outcomes.status(zero) == "calibration"
    text = html.page(analysis)
    expected = f"of {outcomes.measured:,} measured</dt><dd>{len(analysis.counted):,}</dd>"
    assert expected in text
    rows = section(text, "validity").partition('class="sum"')[0]
    shown = re.findall(r"</dt><dd>([\d,]+)</dd>", rows)
    assert sum(int(one.replace(",", "")) for one in shown) == outcomes.measured


def test_a_cell_of_a_rate_that_was_not_kept_up_with_says_so(small: SavedRace) -> None:
    rated = [c for c in small.cells if c.load.rate and c.label == BASELINE and c.status == "ok"]
    late = changed(rated[0], status="overloaded", reason="did not keep up")
    cells = [late if c is rated[0] else c for c in small.cells]
    outcomes = Outcomes(analyse(replace(small, cells=cells)))
    same = next(c for c in rated[1:] if c.work == late.work)
    assert outcomes.outcome(same) == "at a load not kept up with"
    assert outcomes.outcome(late) == "overloaded"


def cells_with(page: str, *parts: str) -> list[str]:
    """The rows of single cells that have all these parts."""
    found = section(page, "cells").split("<tr")
    return [row for row in found if all(part in row for part in parts)]


def test_marks_stand_in_the_cell_of_their_figure(small: SavedRace) -> None:
    def change(cell: Cell) -> Cell:
        if cell.task == "ugly":
            return changed(bound(cell), no_latency="3 of 8 connections were answered")
        return cell

    index = next(c for c in small.cells if c.task == "index" and c.count)
    cells = [changed(index, order=99), *small.cells]
    page = html.page(analyse(altered(replace(small, cells=cells), change)))
    ugly = next(c for c in small.cells if c.task == "ugly" and c.count and c.round == 1)
    shown = "".join(cells_with(page, "<td>ugly"))
    assert f"<td class=n>≥ {words.number(ugly.throughput)}<td" in shown
    assert '<td class=n title="3 of 8 connections were answered">–' in page
    lost = cells_with(page, "<td>index", "ok, measured again")
    assert lost
    assert all(re.search(r"<td class=n>[\d,.]+\?<td", row) for row in lost)
    counted = cells_with(page, "<td>index", "<td>ok<td")
    assert counted
    assert not any("?" in row for row in counted)


def test_a_far_percentile_with_answers_missing_is_a_lower_bound(small: SavedRace) -> None:
    def change(cell: Cell) -> Cell:
        lossy = cell.load.rate == 2000 and cell.label == BASELINE
        return changed(cell, errors={**cell.errors, "timeout": 1}) if lossy else cell

    marked = re.compile(r">≥ [\d.,]+ ms <small>")
    text = section(html.page(analyse(altered(small, change))), "latency")
    assert len(marked.findall(text)) == 1  # p99.9 on Index, where alone there are rates
    assert not marked.search(section(html.page(analyse(small)), "latency"))


def test_only_what_took_part_has_a_version(small: SavedRace) -> None:
    head = with_environment(small.head, versions={**small.head.environment.versions, "mysql": None})
    machine = section(html.page(analyse(replace(small, head=head))), "machine")
    for name in ("wrk", "tarantool", "aiohttp", "asynctnt", "uvloop", "japronto"):
        assert f"<dt>{name}</dt>" in machine, name
    for name in ("postgres", "asyncpg", "mysql"):
        assert f"<dt>{name}</dt>" not in machine, name
    assert machine.count("<dt>tarantool</dt>") == 1  # the database, no package of that name
    # Of the current interpreter asyncpg alone took no part.
    assert "1 package more in this environment" in machine
    without = alone(replace(small, head=head), SMALL[0], f"{SMALL[0]} (A/A)")
    assert "japronto" not in section(html.page(analyse(without)), "machine")


def test_facts_that_no_factor_says_are_shown(small: SavedRace) -> None:
    def known(one: Contender) -> Contender:
        parser = "in C" if one.label == BASELINE else "in Python"
        return changed(one, facts={"HTTP parser": parser, "access log": "off"})

    head = changed(small.head, contenders=[known(one) for one in small.head.contenders])
    race = replace(small, head=head)
    machine = section(html.page(analyse(race)), "machine")
    own = shortened(one.label for one in head.contenders if not one.aa)[BASELINE]
    assert f'<h3>HTTP parser</h3>\n<dl class="pairs">\n<dt>in C</dt><dd>{own}</dd>' in machine
    assert "<dt>off</dt><dd>every engine</dd>" in machine
    row = spreadsheet(cells.spreadsheet(analyse(race))).splitlines()[0].split(",")
    assert {"HTTP parser", "access log"} <= set(row)


def test_versions_are_all_shown_where_nobody_says_what_took_part(small: SavedRace) -> None:
    silent = changed(small.head, discipline=changed(small.head.discipline, level_texts={}))
    machine = section(html.page(analyse(replace(small, head=silent))), "machine")
    for name in ("postgres", "asyncpg"):
        assert f"<dt>{name}</dt>" in machine, name


def test_a_commit_with_changes_says_so_wherever_it_stands(small: SavedRace) -> None:
    expected = "0123456789ab with changes that are in no commit"
    dirty = analyse(replace(small, head=with_environment(small.head, dirty=True)))
    page = html.page(dirty)
    for name in ("machine", "method", "repeat"):
        assert expected in section(page, name), name
    assert expected in page.rpartition("<footer>")[2]
    assert f"Repeat it on commit {expected}:" in markdown.page(dirty)
    clean = analyse(small)
    assert "with changes" not in html.page(clean)
    assert "Repeat it on commit 0123456789ab:" in markdown.page(clean)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (9.994, "9.99"),
        (9.996, "10.0"),
        (99.94, "99.9"),
        (99.96, "100"),
        (1234.5, "1,234"),
        (0.456, "0.46"),
        (None, "–"),
    ],
)
def test_three_digits_whatever_they_round_to(value: float | None, expected: str) -> None:
    assert words.number(value) == expected


def test_each_task_is_a_link_and_folds(small: SavedRace, page: str) -> None:
    nav = page.partition("<nav")[2].partition("</nav>")[0]
    for comparison in analyse(small).closed():
        assert f">{comparison.place}</a>" in nav
    assert page.count('<details class="chapter"') == page.count("<section id=")
    assert page.count('<details class="comparison" open>') == len(analyse(small).closed())
    folded = re.findall(r'<section id="(\w+)">\n<details class="chapter">', page)
    assert folded == ["legend", "shares", "meters", "method", "cells"]


def test_a_new_race_saves_what_its_words_mean() -> None:
    expected = described(toy.scenario(), Toys())
    assert expected.task_texts == {"jump": "Both feet."}
    assert expected.level_texts == {"speed": {"slow": "takes its time"}}
