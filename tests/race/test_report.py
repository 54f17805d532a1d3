"""Analysis and reports of invented races, the HTML also in a browser."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright
from rich.console import Console

from race.analysis.analyse import analyse
from race.analysis.model import Contest
from race.report import html, markdown
from race.saved import reader as results
from race.saved.model import Contender
from race.saved.reader import Run
from race.terminal import rankings as terminal
from runtime.paths import ROOT
from tests.conftest import absent
from tests.support.synthetic import ARTICLE, BASELINE, Recipe, late, write

SMALL = ("aiohttp-tarantool-one", "aiohttp-tarantool-one-uvloop", "sanic-tarantool-one",
         "japronto-tarantool-one-uvloop", "aiohttp-tarantool-multi")  # fmt: skip
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update",
         "--disable-sync")  # fmt: skip


@pytest.fixture(scope="module")
def article(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return results.load(write(tmp_path_factory.mktemp("runs") / "article"))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Run:
    recipe = Recipe(engines=SMALL, pages=("index", "ugly"), rounds=6, rates=(2000.0, 4000.0))
    return results.load(write(tmp_path_factory.mktemp("runs") / "small", recipe))


@pytest.fixture(scope="module")
def page(small: Run) -> str:
    return html.page(small)


def _contest(run: Run, page: str, pipeline: int = 1) -> Contest:
    return next(
        contest
        for contest in analyse(run).contests
        if contest.key.page == page and contest.key.load.pipeline == pipeline
    )


def test_ranking_follows_what_was_put_in(article: Run) -> None:
    contest = _contest(article, "ugly")
    ranks = {item.label: item.rank for item in contest.standings}
    assert ranks["japronto-tarantool-one-uvloop"] == ranks["japronto-tarantool-one"] == 1
    assert ranks["sanic-tarantool-one-uvloop"] == 3
    slow = ("aiohttp-tarantool-one", "aiohttp-tarantool-multi", "aiohttp-postgres-pool")
    assert {ranks[label] for label in slow} == {7}
    assert contest.rounds == 12
    assert contest.reference == BASELINE
    assert "(A/A)" not in " ".join(ranks)


def test_headline_names_the_winner_with_its_interval(article: Run) -> None:
    headline = analyse(article).headline
    assert headline is not None
    assert headline.declared
    pattern = r"japronto-\S+ serves Good 1\.\d\d× \[1\.\d\d, 1\.\d\d\] as fast as " + BASELINE
    assert re.fullmatch(pattern, headline.text)


def test_failed_cells_have_a_reason_and_no_number(article: Run) -> None:
    item = next(s for s in _contest(article, "index").standings if s.label.endswith("-multi"))
    assert (item.state, item.rank, item.rps, item.ratio) == ("failed", None, None, None)
    assert item.reason == "the page answered 503: no new connection within 2 s"


def test_generator_bound_is_a_lower_bound_without_rank(article: Run) -> None:
    contest = _contest(article, "ugly", pipeline=24)
    bound = [item for item in contest.standings if item.state == "generator-bound"]
    assert [item.web for item in bound] == ["japronto", "japronto"]
    assert all(item.rank is None and item.ratio is None for item in bound)
    assert not any("japronto" in pair.first + pair.second for pair in contest.pairs)


def test_a_failed_baseline_gives_way_to_the_slowest(article: Run) -> None:
    cells = [
        replace(c, status="failed", reason="dead", rps=None) if c.label == BASELINE else c
        for c in article.cells
    ]
    contest = _contest(replace(article, cells=cells), "good")
    assert contest.reference == contest.standings[-2].label != BASELINE
    assert contest.standings[-1].label == BASELINE


def test_few_rounds_declare_nothing(tmp_path: Path) -> None:
    run = results.load(write(tmp_path / "run", Recipe(rounds=2, faults=False, pages=("good",))))
    analysis = analyse(run)
    (contest,) = analysis.contests
    assert not contest.decided
    assert all(pair.winner is None for pair in contest.pairs)
    assert {item.rank for item in contest.standings} == {1}
    assert analysis.headline is not None
    assert analysis.headline.text.endswith("in 2 rounds: too few to call it")
    assert any("cannot give a 95 % interval" in text for text in analysis.validity.warnings)


def test_a_race_of_one_engine_ranks_it_against_its_twin(tmp_path: Path) -> None:
    recipe = Recipe(engines=ARTICLE[1:2], pages=("good",), rounds=8, faults=False)
    analysis = analyse(results.load(write(tmp_path / "run", recipe)))
    (contest,) = analysis.contests
    assert [item.label for item in contest.standings] == [BASELINE, f"{BASELINE} (A/A)"]
    assert contest.margin_percent == pytest.approx(3)
    assert [pair.winner for pair in contest.pairs] == [None]
    assert analysis.headline is not None
    assert "cannot be told apart" in analysis.headline.text


def test_a_slowdown_of_20_percent_is_found_and_covered(tmp_path: Path) -> None:
    # 20 % more CPU per request is 1/1.2 of the requests/s.
    engines = (ARTICLE[1], ARTICLE[5])
    both = [
        write(tmp_path / name, Recipe(engines=engines, pages=("good",), slowdown=slowdown,
                                      faults=False))
        for name, slowdown in (("plain", {}), ("slowed", {ARTICLE[5]: 1.2}))
    ]  # fmt: skip
    plain, slowed = (
        next(s for s in _contest(results.load(folder), "good").standings if s.label == ARTICLE[5])
        for folder in both
    )
    assert plain.ratio is not None
    assert slowed.ratio is not None
    true = plain.cpu_us["server"] / slowed.cpu_us["server"] * plain.ratio.ratio
    low, high = slowed.ratio.as_json()["low"], slowed.ratio.as_json()["high"]
    assert low < true < high


def test_p_is_adjusted_for_all_comparisons_with_the_reference(article: Run) -> None:
    contest = _contest(article, "ugly")
    p = {item.label: item.p_holm for item in contest.standings}
    assert contest.comparisons == 8
    # All 12 rounds agree: p = 2/2^12, the least there is, times the 8 comparisons.
    assert p["japronto-tarantool-one-uvloop"] == pytest.approx(8 * 2 / 2**12)
    assert p["aiohttp-postgres-pool"] is not None
    assert p["aiohttp-postgres-pool"] > 0.05  # the same framework and loop
    assert p[BASELINE] is None
    assert 'data-label="p">0.004</td>' in html.page(article)


def test_connections_without_an_answer_are_named(small: Run) -> None:
    starved = [
        replace(c, busy_connections=40.0) if c.label == BASELINE and c.page == "ugly" else c
        for c in small.cells
    ]
    for text in (html.page(replace(small, cells=starved)),
                 markdown.page(replace(small, cells=starved))):  # fmt: skip
        assert re.search(rf"answered, and .* alone: {BASELINE} 4\d %\.", text)
    assert "By Little’s law" not in markdown.page(small)


def test_a_level_without_a_matched_pair_is_named_with_the_reason(article: Run) -> None:
    found = {(one.level, one.also) for one in analyse(article).unmatched}
    assert found == {
        ("japronto", ("python",)), ("postgres", ("connection",)), ("pool", ("backend",))
    }  # fmt: skip
    assert "japronto (the nearest differ in web and python)" in html.page(article)


def test_cpu_time_is_compared_at_the_same_rate(small: Run, page: str) -> None:
    contests = [c for c in analyse(small).contests if c.key.load.rate is not None]
    assert len(contests) == 2
    for contest in contests:
        served = [item for item in contest.standings if item.rps]
        assert sum(item.cpu_ratio is not None for item in served) == len(served) - 1
    assert page.count("CPU ratio [95 %]") == 2
    assert "Index at 2,000 requests/s" in page


def test_one_cell_that_did_not_keep_up_takes_the_others_with_it(small: Run) -> None:
    """Percentiles of the cells that went well would be the survivors'."""
    first = next(c for c in small.cells if c.load.rate and c.status == "ok" and c.label in SMALL)
    run = replace(small, cells=[late(c) if c is first else c for c in small.cells])
    contest = next(c for c in analyse(run).contests if c.key == (first.page, first.load))
    found = {item.label: item for item in contest.standings}
    item = found.pop(first.label)
    assert (item.state, item.rps, item.latency_us) == ("overloaded", None, {})
    assert re.fullmatch(r"did not keep up in 1 of \d+ cells", item.reason or "")
    assert "fixed-rate" in {other.state for other in found.values()}


def test_who_does_not_keep_up_is_a_cross_on_the_curve(tmp_path: Path) -> None:
    recipe = Recipe(engines=SMALL, pages=("good",), rounds=6, rates=(2000.0, 7000.0), faults=False)
    page = html.page(results.load(write(tmp_path / "run", recipe)))
    found = re.search(r"so no cell at that rate counts: ([^<]*)\.", page)
    assert found
    assert set(found[1].split("; ")) == {f"{BASELINE} at 7,000/s", f"{SMALL[4]} at 7,000/s"}
    assert "aiohttp-tarantool-multi at 7,000/s: did not keep up in 12 of 12 cells" in page
    assert "japronto-tarantool-one-uvloop at 7,000/s: p50" in page
    assert page.count(">✕</text>") == 2 * 3 * 2  # wide and narrow, three panels, two engines
    hopeless = replace(recipe, rates=(1e6,))
    assert "✕" not in html.page(results.load(write(tmp_path / "hopeless", hopeless)))


def test_analysis_is_plain_json(article: Run, small: Run) -> None:
    for run in (article, small):
        data = json.loads(json.dumps(analyse(run).as_json(), allow_nan=False))
        assert data["run"] == run.head.run
        assert data["headline"]["text"]
        assert {"page", "load"} <= data["contests"][0]["key"].keys()


def test_empty_and_unfinished_runs_are_reported(small: Run) -> None:
    nothing = replace(small, cells=[], head=replace(small.head, finished_at=None))
    text = html.page(nothing)
    assert "The race was not finished" in text
    assert 'id="pages"' not in text
    assert markdown.page(nothing)
    assert terminal.rankings(nothing) == []


def test_terminal_and_markdown_show_ranks_intervals_and_failures(small: Run) -> None:
    console = Console(width=150, record=True, quiet=False, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    for ranking in terminal.rankings(small):
        console.print(ranking)
    console.file.close()
    shown = console.export_text()
    text = markdown.page(small)
    for found in (shown, text.replace("\\", "")):
        assert "1 (reference)" in found
        assert re.search(r"\d\.\d+× \[\d\.\d+, \d\.\d+\]", found)
        assert "failed: the page answered 503" in found
        assert "race run article" in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {7}


def test_the_published_race_is_read_and_its_readme_is_its_report() -> None:
    """When it is not: `race report docs/results/article --markdown` into its README.md."""
    folder = ROOT / "docs" / "results" / "article"
    run = results.load(folder)
    assert run.problems == []
    assert markdown.page(run) == (folder / "README.md").read_text()


class _Page(HTMLParser):
    """What a test asks of a page: ids, links, sections, chart texts."""

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
            self.labelled.append(given.get("aria-labelledby", ""))


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
    for texts in found.labelled:
        assert set(texts.split()) <= set(found.ids)
    assert found.tags.count("title") == len(found.labelled) + 1
    assert "<desc" in page


def test_page_shows_everything_it_has_data_for(small: Run, page: str) -> None:
    sections = ("glance", "pages", "pipelining", "shares", "latency", "effects", "validity",
                "environment", "cells", "repeat")  # fmt: skip
    assert {name for name in sections if f'<section id="{name}">' in page} == set(sections)
    assert "race run article --rounds 6 --seed 20261120" in page
    assert page.count("<tr") > len(small.cells)
    assert "no new connection within 2 s" in page
    assert "round 5: steal 3.4% is over 2.0%" in page
    assert "at a fixed rate" in page


def test_sections_without_data_are_left_out(tmp_path: Path) -> None:
    recipe = Recipe(engines=("aiohttp-memory-one", "sanic-memory-pool"), pages=("good",),
                    faults=False, rounds=6)  # fmt: skip
    text = html.page(results.load(write(tmp_path / "run", recipe)))
    for name in ("pipelining", "shares", "effects"):
        assert f'id="{name}"' not in text
        assert f'href="#{name}"' not in text
    assert "at a fixed rate" not in text


def test_same_run_same_page(small: Run, page: str) -> None:
    assert html.page(small) == page


def test_hostile_names_are_escaped_everywhere(small: Run) -> None:
    evil = '<script>alert(1)</script>"&'
    head = replace(
        small.head,
        run=evil,
        scenario={"name": evil, "title": evil},
        command=["race", evil],
        environment={"cpu": evil, "versions": {evil: evil}},
        baseline=evil,
        contenders=[Contender(evil, evil, "3.13.0")],
    )
    cells = [
        replace(c, label=evil, engine=evil, reason=evil) if c.label == BASELINE else c
        for c in small.cells
    ]
    run = replace(small, head=head, cells=cells)
    found = _Page(html.page(run))
    assert found.tags.count("script") == 1
    prose, _, command = markdown.page(run).rpartition("Repeat it:")
    assert "<script>" not in prose.replace("\\<", "")
    assert command.strip().startswith("```")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium")
    if chromium is None:
        absent("chromium is not installed: apt-get install chromium")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        yield found
        found.close()


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_in_a_browser(
    browser: Browser, page: str, tmp_path: Path, width: int, scheme: str
) -> None:
    path = tmp_path / "report.html"
    path.write_text(page, encoding="utf-8")
    context = browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    tab = context.new_page()
    asked: list[str] = []
    errors: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("console", lambda message: errors.append(message.text))
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.goto(path.as_uri())
    assert tab.evaluate("document.documentElement.scrollWidth") == width
    visible = ".drawing.wide svg" if width > 760 else ".drawing.narrow svg"
    assert tab.locator(visible).first.is_visible()
    ink = "(e) => getComputedStyle(e).fill"
    colour = tab.locator(f"{visible} text").first.evaluate(ink)
    light = sum(int(part) for part in re.findall(r"\d+", colour)[:3]) > 384
    assert light == (scheme == "dark")
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert errors == []
    context.close()


def test_cells_sort_and_filter(browser: Browser, page: str, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(page, encoding="utf-8")
    tab = browser.new_page()
    tab.goto(path.as_uri())
    rates = ".cells tbody tr:not([hidden]) td:nth-child(9)"
    head = tab.get_by_role("button", name="requests/s")
    for state in ("ascending", "descending"):
        head.click()
        assert head.locator("..").get_attribute("aria-sort") == state
        texts = [text for text in tab.locator(rates).all_text_contents() if text]
        numbers = [float(text) for text in texts]
        assert numbers == sorted(numbers, reverse=state == "descending")
    tab.get_by_label("Filter").fill("index sanic")
    shown = tab.locator(".cells tbody tr:not([hidden])").all_text_contents()
    assert shown
    assert all("index" in text and "sanic" in text for text in shown)
    assert (
        tab.locator("#count").text_content()
        == f"{len(shown)} of {tab.locator('.cells tbody tr').count()} cells"
    )
    tab.close()
