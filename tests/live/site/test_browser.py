"""The site in a real browser: votes by click and by key, without JavaScript, on a phone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    Request,
    expect,
)

from tests.support.html import numbers
from tests.support.site_client import get, sticker
from tests.support.site_server import SiteServer, environment, serving, until

PHONE = {"width": 390, "height": 844}
NOTICE = "Your vote has been counted"
REPORTS = tuple(f"/reports/{number}" for number in range(1, 6))
PAGES = ("/", "/good", "/bad", "/about", *REPORTS, "/missing")
# About shows numbers that are up to 5 s old.
REFRESHED_SECONDS = 8.0
MILLISECONDS = 10_000


@pytest.fixture(scope="module")
def site() -> Iterator[SiteServer]:
    with serving("aiohttp-memory-one", environment(SITE_HISTORY="1")) as server:
        yield server


class Watched:
    """A browser page, and all it asked for and complained about."""

    def __init__(self, context: BrowserContext, site: SiteServer) -> None:
        context.set_default_timeout(MILLISECONDS)
        self.page: Page = context.new_page()
        self.site = site
        self.hosts: set[str] = set()
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))
        self.page.on("requestfailed", self._note_failure)
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _note_failure(self, request: Request) -> None:
        # Leaving a page ends what it was still asking for: that is the browser's, not the site's.
        if request.failure != "net::ERR_ABORTED":
            self.complaints.append(f"{request.url}: {request.failure}")

    def open(self, path: str) -> None:
        self.page.goto(self.site.url + path, wait_until="networkidle")

    def ids(self) -> list[int]:
        """The stickers of Index, left and right."""
        sources = self.page.locator("form img").evaluate_all("all => all.map(one => one.src)")
        return [int(re.findall(r"/pictures/(\d+)\.svg$", source)[0]) for source in sources]

    def check_quiet(self) -> None:
        """Check that no other host was asked and that the browser complained about nothing."""
        assert self.hosts == {urlsplit(self.site.url).netloc}
        assert self.complaints == []


def watched(browser: Browser, site: SiteServer, **options: Any) -> Iterator[Watched]:
    context = browser.new_context(**options)
    try:
        yield Watched(context, site)
    finally:
        context.close()


@pytest.fixture
def desk(browser: Browser, site: SiteServer) -> Iterator[Watched]:
    yield from watched(browser, site)


@pytest.fixture
def phone(browser: Browser, site: SiteServer) -> Iterator[Watched]:
    yield from watched(browser, site, viewport=PHONE, is_mobile=True, has_touch=True)


@pytest.fixture
def without_javascript(browser: Browser, site: SiteServer) -> Iterator[Watched]:
    yield from watched(browser, site, java_script_enabled=False)


def tally(site: SiteServer, number: int) -> tuple[int, int]:
    found = sticker(site.url, number)
    return found["up"], found["down"]


def check_counted(look: Watched, winner: int, loser: int, before: list[tuple[int, int]]) -> None:
    """The notice is there, a new pair too, and both stickers changed by one."""
    expect(look.page.get_by_text(NOTICE)).to_be_visible()
    assert set(look.ids()) != {winner, loser}
    (up, down), (other_up, other_down) = before
    assert tally(look.site, winner) == (up + 1, down)
    assert tally(look.site, loser) == (other_up, other_down + 1)


def test_a_click_votes(desk: Watched) -> None:
    for side in (0, 1):
        desk.open("/")
        expect(desk.page.get_by_text(NOTICE)).to_have_count(0)
        ids = desk.ids()
        winner, loser = ids[side], ids[1 - side]
        before = [tally(desk.site, winner), tally(desk.site, loser)]
        desk.page.locator("form button").nth(side).click()
        desk.page.wait_for_url(re.compile(r"/(\?voted=1)?$"))
        check_counted(desk, winner, loser, before)
    desk.check_quiet()


@pytest.mark.parametrize(("key", "side"), [("ArrowLeft", 0), ("ArrowRight", 1)])
def test_an_arrow_key_votes(desk: Watched, key: str, side: int) -> None:
    desk.open("/")
    ids = desk.ids()
    winner, loser = ids[side], ids[1 - side]
    before = [tally(desk.site, winner), tally(desk.site, loser)]
    desk.page.keyboard.press(key)
    check_counted(desk, winner, loser, before)
    desk.check_quiet()


def test_the_vote_counter_on_about_moves(desk: Watched) -> None:
    def shown() -> int:
        desk.open("/about")
        return numbers(desk.page.content())["votes"]

    before = shown()
    desk.open("/")
    desk.page.locator("form button").first.click()
    expect(desk.page.get_by_text(NOTICE)).to_be_visible()
    until(lambda: shown() > before, REFRESHED_SECONDS, "About does not show the vote")
    desk.check_quiet()


def test_it_works_without_javascript(without_javascript: Watched) -> None:
    look = without_javascript
    look.open("/")
    html = look.page.content()
    winner, loser = [int(number) for number in re.findall(r'"/pictures/(\d+)\.svg"', html)]
    before = [tally(look.site, winner), tally(look.site, loser)]
    look.page.locator("form button").first.click()
    expect(look.page.get_by_text(NOTICE)).to_be_visible()
    (up, down), (other_up, other_down) = before
    assert tally(look.site, winner) == (up + 1, down)
    assert tally(look.site, loser) == (other_up, other_down + 1)
    for name in ("Good", "Bad", "About", "Vote"):
        look.page.get_by_role("navigation").get_by_role("link", name=name, exact=True).click()
        expect(look.page.locator("h1")).to_be_visible()
    assert look.hosts == {urlsplit(look.site.url).netloc}


def test_going_back_and_voting_again_is_refused_kindly(desk: Watched) -> None:
    desk.open("/")
    tokens = desk.page.locator("form input").evaluate_all("all => all.map(one => one.value)")
    desk.page.locator("form button").first.click()
    expect(desk.page.get_by_text(NOTICE)).to_be_visible()
    desk.page.locator("form").first.evaluate(
        "(form, values) => { [...form.querySelectorAll('input')]"
        ".forEach((one, i) => { one.value = values[i] }); form.submit() }",
        tokens[:2],
    )
    expect(desk.page.get_by_text("That ballot was used or had expired")).to_be_visible()
    expect(desk.page.get_by_text(NOTICE)).to_have_count(0)


@pytest.mark.parametrize("path", PAGES)
def test_nothing_scrolls_sideways_on_a_phone(phone: Watched, path: str) -> None:
    phone.open(path)
    width = phone.page.evaluate("document.scrollingElement.scrollWidth")
    assert width <= PHONE["width"]
    expect(phone.page.locator("h1")).to_be_visible()
    loaded = "[...document.images].every(one => one.complete && one.naturalWidth > 0)"
    assert phone.page.evaluate(loaded)
    if path == "/missing":
        # The browser notes the status 404 of a page by itself.
        assert phone.hosts == {urlsplit(phone.site.url).netloc}
    else:
        phone.check_quiet()


def test_a_tap_votes(phone: Watched) -> None:
    phone.open("/")
    phone.page.locator("form button").last.tap()
    expect(phone.page.get_by_text(NOTICE)).to_be_visible()
    phone.check_quiet()


def test_the_session_cookie_is_out_of_reach_of_scripts(desk: Watched) -> None:
    desk.open("/")
    (cookie,) = desk.page.context.cookies()
    assert (cookie["name"], cookie["httpOnly"], cookie["sameSite"]) == ("session", True, "Lax")
    assert desk.page.evaluate("document.cookie") == ""
    desk.open("/good")
    assert [it["value"] for it in desk.page.context.cookies()] == [cookie["value"]]


def test_the_policy_holds_in_the_browser(desk: Watched) -> None:
    """An injected script must not run: the test of the tests above, which expect silence."""
    desk.open("/")
    desk.page.evaluate(
        "() => { const it = document.createElement('script');"
        " it.textContent = 'window.broken = true'; document.body.append(it) }"
    )
    assert desk.page.evaluate("window.broken") is None
    assert any("Content Security Policy" in text for text in desk.complaints)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark(browser: Browser, site: SiteServer, scheme: str) -> None:
    for look in watched(browser, site, color_scheme=scheme):
        look.open("/good")
        colour = look.page.evaluate(
            "(() => { const seen = [document.body, document.documentElement]"
            ".map(one => getComputedStyle(one).backgroundColor)"
            ".find(it => !it.endsWith(', 0)')); return seen || 'rgb(255, 255, 255)' })()"
        )
        red, green, blue = (float(part) for part in re.findall(r"[\d.]+", colour)[:3])
        assert ((red + green + blue) / 3 > 127) == (scheme == "light"), colour
        assert get(site.url, "/good").status == 200


def test_the_reports_are_a_click_away_and_drawn(desk: Watched) -> None:
    desk.open("/")
    desk.page.get_by_role("navigation").get_by_role("link", name="Reports").click()
    for name in ("Newest", "Ratings", "Packs", "Voters", "Today"):
        chapters = desk.page.get_by_role("navigation", name="Reports")
        chapters.get_by_role("link", name=name, exact=True).click()
        chosen = chapters.get_by_role("link", name=name, exact=True)
        expect(chosen).to_have_attribute("aria-current", "page")
        drawing = desk.page.locator("svg.chart").first
        expect(drawing).to_be_visible()
        filled = "all => all.filter((one) => one.getBoundingClientRect().height > 1).length"
        # One column is enough: at night, few hours of today have votes.
        assert drawing.locator("rect").evaluate_all(filled) > 0
        expect(desk.page.locator("tbody tr, .chart text").first).to_be_visible()
    desk.check_quiet()


@pytest.mark.parametrize("width", [1280, PHONE["width"], 320])
@pytest.mark.parametrize("path", REPORTS)
def test_every_text_of_a_chart_is_within_its_card(desk: Watched, path: str, width: int) -> None:
    desk.page.set_viewport_size({"width": width, "height": 844})
    desk.open(path)
    within = """(all) => all.filter((one) => {
      const text = one.getBoundingClientRect();
      const card = one.closest('svg').getBoundingClientRect();
      return text.left < card.left || text.right > card.right || text.bottom > card.bottom;
    }).map((one) => one.textContent)"""
    assert desk.page.locator("svg.chart text").evaluate_all(within) == []


@pytest.mark.parametrize("width", [1280, PHONE["width"], 320])
def test_large_counts_fit_their_cards_on_about(desk: Watched, width: int) -> None:
    desk.page.set_viewport_size({"width": width, "height": 844})
    desk.open("/about")
    numbers = desk.page.locator("dd")
    expect(numbers).to_have_count(5)
    filled = "(all) => all.forEach((one) => { one.textContent = '88,888,888'; })"
    numbers.evaluate_all(filled)
    fits = """(all) => all.map((one) => {
      const range = document.createRange();
      range.selectNodeContents(one);
      const text = range.getBoundingClientRect(), card = one.parentElement.getBoundingClientRect();
      return [text.left >= card.left, text.right <= card.right, text.height < 60];
    })"""
    assert numbers.evaluate_all(fits) == [[True, True, True]] * 5
