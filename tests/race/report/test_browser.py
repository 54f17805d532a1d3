"""The report in a browser."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.conftest import absent

FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)


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
    rates = ".cells tbody tr:not([hidden]) td:nth-child(10)"
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
