"""The report in a browser."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.conftest import absent

FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)
UNFOLD = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"
PHONE = 390
LOW = """(all) => all.filter((one) => one.offsetWidth && one.clientHeight > 1.9 * parseFloat(
  getComputedStyle(one).lineHeight)).map((one) => one.textContent)"""


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
    assert tab.locator(visible).first.is_visible() == (width > 760)  # on a phone it is folded
    tab.evaluate(UNFOLD)
    assert tab.locator(visible).first.is_visible()
    assert tab.evaluate("document.documentElement.scrollWidth") == width
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
    rates = ".cells tbody tr:not([hidden]) td:nth-child(10)"
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
    assert (
        tab.locator("#count").text_content()
        == f"{len(shown)} of {tab.locator('.cells tbody tr').count()} cells"
    )
    tab.close()


@pytest.fixture
def phone(browser: Browser, page: str, tmp_path: Path) -> Iterator[Page]:
    path = tmp_path / "report.html"
    path.write_text(page, encoding="utf-8")
    tab = browser.new_page(viewport={"width": PHONE, "height": 844}, reduced_motion="reduce")
    tab.goto(path.as_uri())
    yield tab
    tab.close()


def test_a_phone_gets_folded_chapters(phone: Page) -> None:
    assert phone.evaluate("document.documentElement.scrollHeight") < 7000
    is_open = "(all) => all.filter((one) => one.open).map((one) => one.parentElement.id)"
    assert phone.locator("details.chapter").evaluate_all(is_open) == ["legend", "glance"]
    assert phone.locator("details.comparison").evaluate_all(is_open) == []
    phone.locator("#validity > details > summary").click()
    assert phone.locator("#validity h3").first.is_visible()


def test_a_link_to_a_task_unfolds_its_ranking(phone: Page) -> None:
    ranking = phone.locator("#index-100-1 .ranking")
    assert not ranking.is_visible()
    link = phone.locator("nav").get_by_role("link", name="Index", exact=True)
    for _ in range(2):  # also when the address is that of the task already
        link.click()
        assert ranking.is_visible()
        top = phone.locator("#index-100-1").evaluate("(one) => one.getBoundingClientRect().top")
        assert 0 <= top < 200
        phone.locator("#index-100-1 > details > summary").click()
        assert not ranking.is_visible()


def test_paper_has_every_chapter(phone: Page) -> None:
    phone.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert phone.locator("details:not([open])").count() == 0


def test_wide_tables_say_that_they_scroll(phone: Page) -> None:
    phone.evaluate(UNFOLD)
    phone.locator("#cells .cells[data-scrolls]").wait_for()
    hint = "(one) => getComputedStyle(one, '::before').content"
    wider = "(one) => one.scrollWidth > one.clientWidth + 1"
    for one in phone.locator(".scroll, .cells").all():
        assert ("sideways" in one.evaluate(hint)) == one.evaluate(wider)


@pytest.fixture
def opened(browser: Browser, page: str, tmp_path: Path) -> Iterator[Callable[[int], Page]]:
    """Opens the report, all of it unfolded, in a window of a width."""
    path = tmp_path / "report.html"
    path.write_text(page, encoding="utf-8")
    tabs: list[Page] = []

    def at(width: int) -> Page:
        tab = browser.new_page(viewport={"width": width, "height": 844})
        tabs.append(tab)
        tab.goto(path.as_uri())
        tab.evaluate(UNFOLD)
        return tab

    yield at
    for tab in tabs:
        tab.close()


@pytest.mark.parametrize("width", [1280, PHONE])
def test_no_number_is_broken_into_lines(opened: Callable[[int], Page], width: int) -> None:
    """Once a column of no width had every digit on a line of its own."""
    tab = opened(width)
    assert tab.locator(".tally dd").count() > 3
    assert tab.locator(".tally dd, .facts dd").evaluate_all(LOW) == []
    narrow = "(all) => all.filter((one) => one.offsetWidth < 60).map((one) => one.textContent)"
    assert tab.locator(".pairs dd, .pairs dt, .tally dt").evaluate_all(narrow) == []


@pytest.mark.parametrize("width", [1280, PHONE])
def test_an_interval_is_wider_than_the_mark_of_its_estimate(
    opened: Callable[[int], Page], width: int
) -> None:
    tab = opened(width)
    widths = "(all) => all.map((one) => [one.children[1].offsetWidth, one.children[2].offsetWidth])"
    found = tab.locator(".strip").evaluate_all(widths)
    assert found
    assert all(interval >= 2 * mark > 0 for interval, mark in found)
