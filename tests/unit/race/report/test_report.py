"""Reports of invented races."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from msgspec.structs import replace as changed

from race.analysis.analyse import analyse
from race.report import format as words
from race.report import html, markdown
from race.report.chapters import CHAPTERS
from race.report.tables.more import answers
from race.saved.reader import SavedRace, load
from runtime.plugin import Plugin
from tests.support import records
from tests.support.synthetic import BASELINE, SMALL, Recipe, write
from tests.unit.race.reading import section, shown


def test_connections_without_an_answer_are_named(small: SavedRace) -> None:
    starved = [
        changed(c, busy_connections=40.0) if (c.label, c.task) == (BASELINE, "ugly") else c
        for c in small.cells
    ]
    found = analyse(replace(small, cells=starved))
    for text in (html.page(found), markdown.page(found)):
        assert re.search(rf"answered at a time, and .* alone: {BASELINE} 4\d\s%\.", text)
    assert "By Little’s law" not in markdown.page(analyse(small))


def test_cpu_time_is_compared_at_the_same_rate(small: SavedRace, page: str) -> None:
    comparisons = [one for one in analyse(small).comparisons if not one.closed]
    assert len(comparisons) == 2
    for comparison in comparisons:
        served = [item for item in comparison.results if item.throughput]
        assert sum(item.cpu_ratio is not None for item in served) == len(served) - 1
    assert page.count(">CPU ratio [95\u00a0%]</th>") == 2
    assert "Index at 2,000 requests/s" in page


def test_who_does_not_keep_up_is_a_cross_on_the_curve(tmp_path: Path) -> None:
    recipe = Recipe(engines=SMALL, pages=("good",), rounds=6, rates=(2000.0, 7000.0), faults=False)
    page = html.page(analyse(load(write(tmp_path / "race", recipe))))
    found = re.search(r"so no cell at that rate counts: ([^<]*)\.", page)
    assert found
    assert set(found[1].split("; ")) == {f"{BASELINE} at 7,000/s", f"{SMALL[4]} at 7,000/s"}
    assert "aiohttp-tarantool-multi at 7,000/s: did not keep up in 6 of 6 cells" in page
    assert "japronto-tarantool-one-uvloop at 7,000/s: p50" in page
    assert page.count(">✕</text>") == 3 * 2  # three panels, two engines
    hopeless = replace(recipe, rates=(1e6,))
    assert "✕" not in html.page(analyse(load(write(tmp_path / "hopeless", hopeless))))


def test_how_an_interpreter_was_built_stands_beside_its_version(page: str) -> None:
    build = re.search(r"CPython 3.13.0</h3>.*?</dl>", page, re.DOTALL)
    assert build
    assert "<dt>build</dt><dd>without PGO, without LTO</dd>" in build[0]
    assert "<dt>loop of pure Python</dt><dd>412 us</dd>" in build[0]
    assert page.count("<dt>build</dt>") == 1  # the other one's is not known


def test_contenders_that_did_not_take_turns_are_said_to(small: SavedRace, page: str) -> None:
    head = changed(small.head, scenario={**small.head.scenario, "order": "contenders"})
    text = html.page(analyse(replace(small, head=head)))
    assert ("took turns" in page, "took turns" in text) == (True, False)
    assert ("The order is random" in page, "The order is random" in text) == (True, False)


def test_what_the_machine_is_stands_in_its_chapter(page: str) -> None:
    for name, text in (
        ("hypervisor", "KVM"),
        ("hardware threads", "0-1 are of one core"),
        ("cache L3", "32768K of cores 0-1"),
        ("spectre v2", "Mitigation: Retpolines"),
        ("a core beside a busy one", "60.0\u00a0% of its speed beside an idle one"),
    ):
        assert f"<dt>{name}</dt><dd>{text}</dd>" in page


def test_machines_of_other_parties_and_their_network_have_a_chapter(small: SavedRace) -> None:
    machine = records.MACHINE
    base = changed(machine, name="db1", address="192.0.2.7", pinned=[])
    site = changed(machine, name="web1", address="192.0.2.8", databases_at="192.0.2.1")
    parties = {"generator": machine, "database": base}
    seen = changed(small.head.environment, machines=parties)
    delays = {"network_us": {"generator round_trip": 200.0}}
    moved = {"network_bytes": {"generator received": 3_000_000, "generator sent": 10_000}}
    cells = [changed(one, meters={**one.meters, **delays, **moved}) for one in small.cells]
    head = changed(small.head, environment=seen)
    found = analyse(replace(small, head=head, cells=cells))
    chapter = section(html.page(found), "hosts")
    assert "The server listened on 192.0.2.1, where load1 reaches it" in chapter
    assert "-250 ± 40 µs" in chapter
    assert "The database ran on another machine, db1. It listened on 192.0.2.7." in chapter
    assert "a TCP connection from the server to the database" in chapter
    assert changed(seen, versions={"wrk": "4.2.0"}).used_versions["wrk"] == "4.1.0"
    load = changed(machine, address=None)
    elsewhere = changed(seen, machines={"server": site, "generator": load})
    there = section(
        html.page(analyse(replace(small, head=changed(head, environment=elsewhere)))), "hosts"
    )
    assert (
        "The server ran on another machine, web1. It listened on 192.0.2.8. The databases" in there
    )
    assert "databases listened on 192.0.2.1 of this machine, where web1 reaches them." in there
    assert "instead of on 127.0.0.1" not in there
    (comparison, *_) = found.comparisons
    item = next(one for one in comparison.results if one.latency_us)
    assert words.percent(200 / item.latency_us["p50"]) in chapter
    assert 'id="hosts"' not in html.page(analyse(small))


def test_empty_and_unfinished_races_are_reported(small: SavedRace) -> None:
    head = changed(small.head, finished_at=None)
    nothing = analyse(replace(small, cells=[], head=head))
    text = html.page(nothing)
    assert "The race was not finished" in text
    assert 'id="tasks"' not in text
    assert markdown.page(nothing)
    assert shown(nothing) == ""


def test_terminal_and_markdown_show_ranks_intervals_and_failures(small: SavedRace) -> None:
    found = analyse(small)
    text = markdown.page(found)
    for expected in (shown(found, 150), text.replace("\\", "")):
        assert "1 (reference)" in expected
        assert re.search(r"\d\.\d+× \[\d\.\d+, \d\.\d+\]", expected)
        assert "failed: the page answered 503" in expected
    assert "race run article" in text
    for found_table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        rows = found_table.splitlines()
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 1


def test_markdown_has_every_pair_and_what_an_answer_is(small: SavedRace) -> None:
    found = analyse(small)
    text = markdown.page(found).replace("\\", "")
    _, choices, facts = re.split(r"<summary>What (?:each choice buys|a request is)</summary>", text)
    expected = [str(estimate) for _, effect in found.effects for estimate in effect.estimates]
    assert all(f" {estimate} |" in choices for estimate in expected)
    assert choices.count("×") == len(expected)
    known = answers(found)
    assert known
    assert len([line for line in facts.splitlines() if line.startswith("|")]) == 2 + len(known.rows)
    assert all(column.title in facts for column in known.columns)


def test_who_was_left_out_is_told_in_both_forms(small: SavedRace, page: str) -> None:
    reasons = ["aiopg: not installed: make env", "psycopg2 with loop uvloop: it has only threads"]
    expected = "; ".join(reasons)
    found = analyse(replace(small, head=changed(small.head, left_out=reasons)))
    assert f"\n\nLeft out: {expected}.\n\n" in markdown.page(found)
    assert f"<p>{expected}. They were asked for" in section(html.page(found), "validity")
    assert "Left out" not in page
    assert "Left out" not in markdown.page(analyse(small))


TOY = """
from markupsafe import Markup, escape

from race.report.template import ReportChapter


def render(analysis):
    text = escape(f"<{len(analysis.comparisons)} comparisons>")
    found = ReportChapter(f"A toy & {analysis.race.head.race}", Markup(f"<p>{text}</p>"))
    return found if analysis.comparisons else None
"""


def test_a_chapter_is_one_file_and_one_entry(
    small: SavedRace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "toy_chapter_of_a_test.py").write_text(TOY)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(CHAPTERS, "toy", Plugin("toy_chapter_of_a_test:render"))
    found = analyse(small)
    text = html.page(found)
    assert '<a href="#toy">A toy &amp; 20261120-204500-article</a>' in text
    assert '<section id="toy">' in text
    assert f"<p>&lt;{len(found.comparisons)} comparisons&gt;</p>" in text
    assert text.index('id="repeat"') < text.index('id="toy"')
    assert 'id="toy"' not in html.page(analyse(replace(small, cells=[])))


class _Page(HTMLParser):
    """A reader of the ids, links, sections and chart texts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.labelled: list[str] = []
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.tags.append(tag)
        if "id" in given:
            self.ids.append(given["id"])
        self.links += [given[name] for name in ("href", "src", "srcset", "data") if name in given]
        if given.get("role") == "img":
            self.labelled.append(given.get("aria-label", ""))


def test_page_is_one_file_without_network(page: str) -> None:
    found = _Page(page)
    assert all(link.startswith(("#", "data:")) for link in found.links)
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", page)
    assert "@import" not in page
    assert {link[1:] for link in found.links if link.startswith("#")} <= set(found.ids)
    assert len(page.encode()) < 1_000_000


def test_every_chart_has_a_text_and_ids_are_unique(page: str) -> None:
    found = _Page(page)
    assert len(found.ids) == len(set(found.ids))
    assert len(found.labelled) > 10
    assert all(re.match(r".+: .+", text) for text in found.labelled)


def test_page_shows_everything_it_has_data_for(small: SavedRace, page: str) -> None:
    drawn = [name for name in CHAPTERS if f'<section id="{name}">' in page]
    none = ("why", "workers", "user-loads", "distributions", "hosts")  # nor a fixed number at once
    assert drawn == [name for name in CHAPTERS if name not in none]
    assert "race run article --rounds 6 --seed 20261120" in page
    assert page.count("<tr") > len(small.cells)
    assert "no new connection within 2 s" in page
    assert "at a fixed rate" in page


def test_chapters_without_data_are_left_out(tmp_path: Path) -> None:
    engines = ("aiohttp-memory-one", "sanic-memory-pool")
    recipe = Recipe(engines=engines, pages=("good",), faults=False, rounds=6)
    text = html.page(analyse(load(write(tmp_path / "race", recipe))))
    for name in ("picture", "pipelining", "shares", "effects"):
        assert f'id="{name}"' not in text
        assert f'href="#{name}"' not in text
    assert "at a fixed rate" not in text
