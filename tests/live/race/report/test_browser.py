"""The report in a browser: one session looks at it at two widths, in two schemes, on paper."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from race.analysis.analyse import analyse
from race.report import html
from race.saved.reader import load
from tests.support.synthetic import SMALL, Recipe, write

UNFOLD = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"
DESK, PHONE = 1280, 390
LOW = """(all) => all.filter((one) => one.offsetWidth && one.clientHeight > 1.9 * parseFloat(
  getComputedStyle(one).lineHeight)).map((one) => one.textContent)"""
OUTSIDE = """(all) => all.filter((one) => {
  const box = one.getBoundingClientRect();
  return box.width && (box.right > innerWidth || box.left < 0 || box.height < 10);
}).map((one) => one.textContent)"""

pytestmark = pytest.mark.xdist_group("report-browser")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a small race."""
    recipe = Recipe(engines=SMALL, pages=("index", "ugly"), rounds=6, rates=(2000.0, 4000.0))
    folder = tmp_path_factory.mktemp("report")
    path = folder / "report.html"
    path.write_text(html.page(analyse(load(write(folder / "small", recipe)))), encoding="utf-8")
    return path


@pytest.fixture
def opened(browser: Browser, report: Path) -> Iterator[Callable[..., Page]]:
    """Opens the report in a window of a width; it asks for nothing and complains of nothing."""
    tabs: list[Page] = []
    asked: list[str] = []
    errors: list[str] = []

    def at(width: int, dark: bool = False, unfold: bool = True) -> Page:
        tab = browser.new_page(
            viewport={"width": width, "height": 844},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
        )
        tabs.append(tab)
        tab.on("request", lambda request: asked.append(request.url))
        tab.on("console", lambda message: errors.append(message.text))
        tab.on("pageerror", lambda error: errors.append(str(error)))
        tab.goto(report.as_uri())
        if unfold:
            tab.evaluate(UNFOLD)
        return tab

    yield at
    for tab in tabs:
        tab.close()
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert errors == []


@pytest.mark.parametrize(("width", "dark"), [(DESK, False), (PHONE, True)])
def test_a_page_fits_its_window_and_can_be_read(
    opened: Callable[..., Page], width: int, dark: bool
) -> None:
    """Once a column of no width had every digit on a line of its own."""
    tab = opened(width, dark)
    assert tab.evaluate("document.documentElement.scrollWidth") == width
    drawn = tab.locator(".drawing svg > text")
    assert drawn.count() > 50
    assert drawn.evaluate_all(OUTSIDE) == []
    colour = drawn.first.evaluate("(one) => getComputedStyle(one).fill")
    assert (sum(int(part) for part in re.findall(r"\d+", colour)[:3]) > 384) == dark
    assert tab.locator(".tally dd").count() > 3
    assert tab.locator(".tally dd, .facts dd").evaluate_all(LOW) == []
    narrow = "(all) => all.filter((one) => one.offsetWidth < 60).map((one) => one.textContent)"
    assert tab.locator(".pairs dd, .pairs dt, .tally dt").evaluate_all(narrow) == []
    widths = "(all) => all.map((one) => [one.children[1].offsetWidth, one.children[2].offsetWidth])"
    strips = tab.locator(".strip").evaluate_all(widths)
    assert strips
    assert all(interval >= 2 * mark > 0 for interval, mark in strips)
    hint = "(one) => getComputedStyle(one, '::before').content"
    for one in tab.locator(".scroll, .cells").all():
        wider = one.evaluate("(one) => one.scrollWidth > one.clientWidth + 1")
        assert ("sideways" in one.evaluate(hint)) == wider


def test_cells_sort_and_filter(opened: Callable[..., Page]) -> None:
    tab = opened(DESK)
    rates = ".cells tbody tr:not([hidden]) td:nth-child(9)"
    head = tab.get_by_role("button", name="requests/s")
    for state in ("ascending", "descending"):
        head.click()
        assert head.locator("..").get_attribute("aria-sort") == state
        texts = [text for text in tab.locator(rates).all_text_contents() if text]
        numbers = [float(re.sub("[≥ ,?]", "", text)) for text in texts]
        assert numbers == sorted(numbers, reverse=state == "descending")
    tab.get_by_label("Filter").fill("index sanic")
    shown = tab.locator(".cells tbody tr:not([hidden])").all_text_contents()
    assert shown
    assert all("index" in text and "sanic" in text for text in shown)
    every = tab.locator(".cells tbody tr").count()
    assert tab.locator("#count").text_content() == f"{len(shown)} of {every} cells"


def test_chapters_fold_on_a_phone_and_a_link_unfolds_its_task(opened: Callable[..., Page]) -> None:
    phone = opened(PHONE, unfold=False)
    assert phone.evaluate("document.documentElement.scrollHeight") < 7000
    is_open = "(all) => all.filter((one) => one.open).map((one) => one.parentElement.id)"
    assert phone.locator("details.chapter").evaluate_all(is_open) == ["glance"]
    assert phone.locator("details.comparison").evaluate_all(is_open) == []
    phone.locator("#validity > details > summary").click()
    assert phone.locator("#validity h3").first.is_visible()
    ranking = phone.locator("#index-100-1 .ranking")
    link = phone.locator("nav").get_by_role("link", name="Index", exact=True)
    for _ in range(2):  # also when the address is that of the task already
        assert not ranking.is_visible()
        link.click()
        ranking.wait_for(state="visible", timeout=5000)  # the browser tells of a new hash later
        top = phone.locator("#index-100-1").evaluate("(one) => one.getBoundingClientRect().top")
        assert 0 <= top < 200
        phone.locator("#index-100-1 > details > summary").click()
    phone.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert phone.locator("details:not([open])").count() == 0
