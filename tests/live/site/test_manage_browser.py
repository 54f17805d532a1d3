"""A manager in a real browser: a sticker is edited on each framework, also without JavaScript."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.engines import ON_MEMORY, Starter, availability, starter
from tests.support.site_server import TOKEN, SiteServer, environment, serving

__all__ = ["availability", "starter"]

PHONE = {"width": 390, "height": 844}
MILLISECONDS = 10_000


@pytest.fixture(scope="module", params=ON_MEMORY)
def site(request: pytest.FixtureRequest, starter: Starter) -> Iterator[SiteServer]:
    starter.ready(request.param)
    with serving(request.param, environment(SITE_TOKEN=TOKEN)) as server:
        yield server


def opened(browser: Browser, **options: Any) -> Iterator[Page]:
    context = browser.new_context(**options)
    context.set_default_timeout(MILLISECONDS)
    yield context.new_page()
    context.close()


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    yield from opened(browser, viewport=PHONE, is_mobile=True)


@pytest.fixture(params=["desk", "phone without JavaScript"])
def page(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    if request.param == "desk":
        yield from opened(browser)
    else:
        yield from opened(browser, viewport=PHONE, is_mobile=True, java_script_enabled=False)


def press(page: Page, name: str) -> None:
    page.locator("main").get_by_text(name, exact=True).click()


def save(page: Page, title: str) -> None:
    page.get_by_label("Title").fill(title)
    press(page, "Save")


def test_a_person_edits_a_sticker(page: Page, site: SiteServer) -> None:
    page.goto(f"{site.url}/manage")
    press(page, "Log in")
    page.get_by_label("Token").fill("wrong")
    page.get_by_role("main").get_by_role("button", name="Log in").click()
    expect(page.get_by_text("That is not the token.")).to_be_visible()
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_role("main").get_by_role("button", name="Log in").click()
    expect(page.get_by_role("button", name="Log out")).to_be_visible()
    page.get_by_role("link", name="Camel Attic").click()
    page.locator(".stickers a").first.click()
    press(page, "Edit")
    save(page, "x" * 81)
    expect(page.get_by_text("A title has at most 80 characters")).to_be_visible()
    expect(page.get_by_label("Title")).to_have_value("x" * 81)
    title = f"Shy <b>Fox</b> & 🦊 {secrets.token_hex(4)}"
    save(page, title)
    expect(page.get_by_text("It has been saved.")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    assert {it["name"]: it["sameSite"] for it in page.context.cookies()} == {"manager": "Strict"}
    press(page, "Log out")
    expect(page.get_by_role("link", name="Log in")).to_be_visible()
    assert page.context.cookies() == []


def test_a_person_creates_and_deletes_a_pack(page: Page, site: SiteServer) -> None:
    page.goto(f"{site.url}/manage/new")
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_role("main").get_by_role("button", name="Log in").click()
    title = f"Pack {secrets.token_hex(4)}"
    save(page, title)
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    press(page, "New sticker")
    save(page, "Sly Owl")
    expect(page.get_by_text("It has been created.")).to_be_visible()
    press(page, "Delete")
    expect(page.get_by_text("“Sly Owl” will be gone for good.")).to_be_visible()
    press(page, "Cancel")
    press(page, "Delete")
    press(page, "Delete")
    expect(page.get_by_text("This pack has no stickers.")).to_be_visible()
    press(page, "Delete")
    press(page, "Delete")
    expect(page.get_by_text("It has been deleted.")).to_be_visible()


def test_nothing_scrolls_sideways_on_a_phone(phone: Page, site: SiteServer) -> None:
    look = phone
    look.goto(f"{site.url}/manage/login")
    look.get_by_label("Token").fill(TOKEN)
    look.get_by_role("main").get_by_role("button", name="Log in").click()
    complaints: list[str] = []
    look.on("console", lambda message: complaints.append(message.text))
    for path in ("", "?page=9", "/new", "/pack/7", "/sticker/1/1", "/sticker/1/1/edit"):
        look.goto(f"{site.url}/manage{path}", wait_until="networkidle")
        assert look.evaluate("document.scrollingElement.scrollWidth") <= PHONE["width"], path
        small = "all => all.filter((it) => it.getBoundingClientRect().height < 40).length"
        assert look.locator("main a, main button, main input:visible").evaluate_all(small) == 0, (
            path
        )
    assert complaints == []
