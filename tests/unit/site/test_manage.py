"""The pages under /manage: who may change what, forged and repeated forms, hostile titles."""

from __future__ import annotations

import asyncio
import html
import inspect
import re
import time
from typing import Any
from urllib.parse import urlencode

import pytest

from data_interface.memory_store import MemoryStore
from data_interface.store import Busy, Pack, Sticker, StoreError, Unavailable
from handlers.exchange import Page
from handlers.manage import shared
from handlers.manage.keys import LOGIN_SECONDS, NOBODY, Keys
from handlers.manage.shared import ATTEMPT_SECONDS, ATTEMPTS_AT_ONCE, Attempts, SentForms
from handlers.refusals import AWAY
from handlers.render import RENDERERS
from handlers.site import Settings, Site
from tests.support.site_client import read_form
from tests.unit.site.test_away import SECRET, site_on
from tests.unit.site.test_pages import HEX, TOKEN, ToyVisit
from tests.unit.site.test_render import HOSTILE, Outline, made, visible

STICKER = "/manage/sticker/{pack}/{sticker}"
PACK = "/manage/pack/{pack}"
OPEN = ("/manage", PACK, STICKER)


def site(token: str | None = TOKEN, renderer: str = "jinja", packs: int = 2) -> Site:
    """A site with some packs; the first has three stickers."""
    store = MemoryStore()
    stickers = [Sticker(number, 1, f"Shy Bat {number}", 2, 3, 1) for number in (1, 2, 3)]
    store.load([Pack(number, f"Pack {number}") for number in range(1, packs + 1)], stickers)
    return Site(store, made(renderer), Settings(lambda: 0, token))


def ask(site: Site, method: str, path: str, *params: str, **fields: Any) -> Page:
    """Return the page of a route, as an adapter would."""
    (route,) = [it for it in site.routes if (it.method, it.path) == (method, path)]
    respond: Any = route.respond
    assert route.waits == inspect.iscoroutinefunction(respond)
    visit = ToyVisit(params=params, **fields)
    if isinstance(fields.get("form"), dict):
        visit.body = urlencode(fields["form"]).encode()
    try:
        page: Page = asyncio.run(respond(visit)) if route.waits else respond(visit)
    except StoreError as error:
        return site.failed(path, error)
    return page


def told(page: Page) -> str:
    return html.unescape(page[0].decode())


def logged_in(site: Site) -> str:
    """The cookie of a new log-in."""
    form = read_form(told(ask(site, "GET", "/manage/login")))
    answer = ask(site, "POST", "/manage/login", form={**form, "token": TOKEN})
    extra = answer[3] or {}
    assert (answer[2], extra["Location"]) == (303, "/manage")
    cookie, *options = extra["Set-Cookie"].split("; ")
    assert options == ["Path=/manage", "HttpOnly", "SameSite=Strict"]
    return cookie.partition("=")[2]


def send(site: Site, path: str, *params: str, **typed: str) -> Page:
    """Fill in the form of a page and send it, in a log-in of its own."""
    cookie = logged_in(site)
    form = read_form(ask(site, "GET", path, *params, manager=cookie)[0].decode())
    return ask(site, "POST", path, *params, manager=cookie, form={**form, **typed})


@pytest.mark.parametrize("renderer", RENDERERS)
def test_packs_and_stickers_are_created_edited_and_deleted(renderer: str) -> None:
    here = site(renderer=renderer)

    def target(page: Page) -> str:
        assert page[2] == 303, told(page)
        return (page[3] or {})["Location"]

    assert target(send(here, "/manage/new", title=" A pack ")) == "/manage/pack/3?done=created"
    assert "<h1>A pack</h1>" in told(ask(here, "GET", PACK, "3", query="done=created"))
    assert target(send(here, f"{PACK}/edit", "3", title="Another")) == "/manage/pack/3?done=saved"
    made_at = target(send(here, f"{PACK}/new", "3", title="Sly Fox"))
    assert made_at == "/manage/sticker/3/4?done=created"
    assert target(send(here, f"{STICKER}/edit", "3", "4", title="Shy Fox")).endswith("?done=saved")
    assert "<h1>Shy Fox</h1>" in told(ask(here, "GET", STICKER, "3", "4"))
    full = send(here, f"{PACK}/delete", "3")
    assert full[2] == 409
    assert "still has stickers" in told(full)
    assert "“Shy Fox” will be gone" in told(
        ask(here, "GET", f"{STICKER}/delete", "3", "4", manager=logged_in(here))
    )
    assert target(send(here, f"{STICKER}/delete", "3", "4")) == "/manage/pack/3?done=deleted"
    assert target(send(here, f"{PACK}/delete", "3")) == "/manage?done=deleted"
    assert ask(here, "GET", PACK, "3")[2] == 404


def test_without_a_token_the_pages_can_be_read_and_say_that_forms_are_off() -> None:
    here = site(token=None)
    managed = [it for it in here.routes if it.path.startswith("/manage")]
    assert len(managed) == 18
    for route in managed:
        page = ask(here, route.method, route.path, "1", "1", form={"title": "x", "token": TOKEN})
        expected = 303 if route.path.endswith("logout") else 403
        assert page[2] == (200 if route.path in OPEN else expected), route.path
        if page[2] == 403:
            assert "start the server with SITE_TOKEN set" in told(page)
        assert "Log in" not in told(page)


def test_who_is_not_logged_in_is_sent_to_the_log_in_and_back() -> None:
    here, form = site(), f"{STICKER}/edit"
    turned = ask(here, "GET", form, "1", "1")
    query = "next=/manage/sticker/1/1/edit"
    assert (turned[2], turned[3]) == (303, {"Location": f"/manage/login?{query}"})
    fields = read_form(told(ask(here, "GET", "/manage/login", query=query)))
    answer = ask(here, "POST", "/manage/login", form={**fields, "token": TOKEN})
    assert (answer[3] or {})["Location"] == "/manage/sticker/1/1/edit"
    typed = ask(here, "POST", form, "1", "1", form={"title": "typed <b>"})
    assert (typed[2], read_form(typed[0].decode())["title"]) == (403, "typed <b>")


@pytest.mark.parametrize(
    "wanted",
    [
        "https://evil.example",
        "//evil.example",
        "/manage//evil.example",
        "/manage/../good",
        "/manage\r\nSet-Cookie: a=b",
        "/manage/pack/1\n",
        "javascript:alert(1)",
        '"><script>alert(1)</script>',
        "/manage?" + "a" * 3000,
        "",
    ],
)
def test_a_log_in_leads_nowhere_else(wanted: str) -> None:
    here = site()
    page = ask(here, "GET", "/manage/login", query=f"next={wanted}")
    form = read_form(page[0].decode())
    assert form["next"] == "/manage"
    sent = {**form, "next": wanted, "token": TOKEN}
    answer = ask(here, "POST", "/manage/login", form=sent)
    assert (answer[3] or {})["Location"] == "/manage"


@pytest.mark.parametrize(
    "given", ["", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), "ü" * 60, "x" * 4000]
)
def test_a_wrong_token_is_said_beside_its_field_and_not_repeated(given: str) -> None:
    here = site()
    form = read_form(told(ask(here, "GET", "/manage/login")))
    page = ask(here, "POST", "/manage/login", form={**form, "token": given})
    assert (page[2], page[3]) == (403, None)
    assert '<p class="wrong" id="wrong">That is not the token.</p>' in told(page)
    assert len(given) < 9 or given not in told(page)


def test_nothing_but_a_comparison_in_constant_time_judges_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keys = Keys(TOKEN)
    cookie, form = keys.log_in(), keys.form(NOBODY)
    monkeypatch.setattr("hmac.compare_digest", lambda *_: False)
    assert (keys.admits(TOKEN), keys.login_of(cookie), keys.form_of(NOBODY, form)) == (
        False,
        None,
        None,
    )


def test_a_cookie_is_good_for_its_time_and_its_token(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = Keys(TOKEN)
    cookie = keys.log_in()
    assert Keys(TOKEN).login_of(cookie) == cookie.split(".")[1]
    assert keys.log_in() != cookie
    ends, login, signature = cookie.split(".")
    for wrong in (
        None,
        "",
        cookie[:-1],
        cookie + "\n",
        cookie.upper(),
        f"{int(ends, 16) + 1:x}.{login}.{signature}",
        f"{ends}.{'0' * 32}.{signature}",
        f"{ends}.{login}.{'0' * 64}",
        "ü" * 50,
        "." * 3000,
    ):
        assert keys.login_of(wrong) is None, wrong
    assert Keys(TOKEN + "x").login_of(cookie) is None
    later = time.time() + LOGIN_SECONDS + 1
    monkeypatch.setattr("time.time", lambda: later)
    assert keys.login_of(cookie) is None


def test_a_form_belongs_to_the_log_in_that_it_was_made_for() -> None:
    here, path = site(), f"{STICKER}/edit"
    one, other = logged_in(here), logged_in(here)
    form = read_form(ask(here, "GET", path, "1", "1", manager=one)[0].decode())
    again: dict[str, str] = {}
    for token in (form["form"], "", HEX, form["form"][:-1], "ü", "x" * 5000):
        sent = {"form": token, "title": "Forged"}
        page = ask(here, "POST", path, "1", "1", manager=other, form=sent)
        assert page[2] == 403
        again = read_form(page[0].decode())
        assert again["title"] == "Forged"
    assert "Shy Bat 1" in told(ask(here, "GET", STICKER, "1", "1"))
    assert ask(here, "POST", path, "1", "1", manager=other, form=again)[2] == 303


def test_every_form_that_changes_something_is_refused_without_its_token() -> None:
    here = site()
    cookie = logged_in(here)
    for route in here.routes:
        if route.path.startswith("/manage") and route.method == "POST":
            page = ask(here, "POST", route.path, "1", "1", manager=cookie, form={"title": "x"})
            assert page[2] == 403, route.path


def test_a_form_that_creates_does_so_once() -> None:
    here = site()
    cookie = logged_in(here)
    form = read_form(ask(here, "GET", f"{PACK}/new", "2", manager=cookie)[0].decode())
    sent = {**form, "title": "Twin"}
    pages = [ask(here, "POST", f"{PACK}/new", "2", manager=cookie, form=sent) for _ in range(3)]
    assert [page[2] for page in pages] == [303, 409, 409]
    again = read_form(pages[1][0].decode())
    assert again["title"] == "Twin"
    assert told(ask(here, "GET", PACK, "2")).count("Twin") == 1
    assert ask(here, "POST", f"{PACK}/new", "2", manager=cookie, form=again)[2] == 303


def test_what_is_deleted_twice_is_gone() -> None:
    here = site()
    cookie, path = logged_in(here), f"{STICKER}/delete"
    form = read_form(ask(here, "GET", path, "1", "1", manager=cookie)[0].decode())
    pages = [ask(here, "POST", path, "1", "1", manager=cookie, form=form) for _ in range(2)]
    assert [page[2] for page in pages] == [303, 404]
    assert "It may have been deleted before." in told(pages[1])


@pytest.mark.parametrize(
    ("title", "status", "says"),
    [
        ("", 400, "A title is needed."),
        (" \t ", 400, "A title is needed."),
        ("x" * 81, 400, "A title has at most 80 characters; this one has 81."),
        ("a\0b", 400, "A title consists of printable characters."),
        ("a\nb", 400, "A title consists of printable characters."),
        ("Pack 2", 409, "Another pack has that title."),
    ],
)
def test_what_is_wrong_with_a_title_is_beside_it(title: str, status: int, says: str) -> None:
    page = send(site(), f"{PACK}/edit", "1", title=title)
    assert page[2] == status
    assert f'aria-invalid="true" aria-describedby="wrong">\n<p class="wrong" id="wrong">{says}' in (
        told(page)
    )
    assert read_form(page[0].decode())["title"] == title


@pytest.mark.parametrize("title", [it for it in HOSTILE if it.isprintable()])
def test_a_hostile_title_is_only_text(title: str) -> None:
    here = site()
    cookie = logged_in(here)
    views = [(PACK, ["1"]), (STICKER, ["1", "1"]), (f"{STICKER}/edit", ["1", "1"])]
    views.append((f"{STICKER}/delete", ["1", "1"]))
    tame = [Outline(ask(here, "GET", path, *at, manager=cookie)[0]).names() for path, at in views]
    assert send(here, f"{STICKER}/edit", "1", "1", title=title)[2] == 303
    for (path, at), names in zip(views, tame, strict=True):
        page = ask(here, "GET", path, *at, manager=cookie)[0]
        assert Outline(page).names() == names
        assert visible(title).strip() in html.unescape(page.decode())


@pytest.mark.parametrize(
    "body", [b"", b"\xff\xfe", bytes(range(256)), b"form=%ff", b"a=1&" * 100, b"title=x;form=y"]
)
def test_a_body_that_is_no_form_changes_nothing(body: bytes) -> None:
    here = site()
    cookie = logged_in(here)
    for path in ("/manage/new", f"{PACK}/edit", f"{STICKER}/delete", "/manage/logout"):
        assert ask(here, "POST", path, "1", "1", manager=cookie, body=body)[2] in (400, 403)
    assert ask(here, "POST", "/manage/login", body=body)[2] in (400, 403)


@pytest.mark.parametrize("kind", [Unavailable, Busy])
def test_what_was_typed_outlives_a_database_that_is_away(
    kind: type[Unavailable] | type[Busy],
) -> None:
    away = site_on(kind(f"{SECRET} for the forms, {kind.__name__}"), TOKEN)
    cookie = logged_in(away)
    form = read_form(ask(away, "GET", "/manage/new", manager=cookie)[0].decode())
    page = ask(away, "POST", "/manage/new", manager=cookie, form={**form, "title": "Kept"})
    assert (page[2], page[3]) == (503, {"Retry-After": "2"})
    assert AWAY[kind] in told(page)
    assert "secret" not in told(page)
    assert read_form(page[0].decode())["title"] == "Kept"


def test_logging_out_takes_the_cookie() -> None:
    here = site()
    cookie = logged_in(here)
    page = told(ask(here, "GET", "/manage", manager=cookie))
    assert page.count("Log out") == 1
    form = dict(re.findall(r'name="(form)" value="([^"]+)"', page))
    answer = ask(here, "POST", "/manage/logout", manager=cookie, form=form)
    assert answer[3] == {
        "Location": "/manage",
        "Set-Cookie": "manager=; Path=/manage; HttpOnly; SameSite=Strict; Max-Age=0",
    }


def test_attempts_are_limited_by_address(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    attempts = Attempts()
    assert [attempts.wait("10.0.0.1") for _ in range(ATTEMPTS_AT_ONCE)] == [0.0] * ATTEMPTS_AT_ONCE
    assert attempts.wait("10.0.0.1") == ATTEMPT_SECONDS
    assert attempts.wait("10.0.0.2") == 0.0
    now += ATTEMPT_SECONDS
    assert [attempts.wait("10.0.0.1") for _ in range(2)] == [0.0, ATTEMPT_SECONDS]
    attempts.forgive("10.0.0.1")
    assert attempts.wait("10.0.0.1") == 0.0
    for number in range(ATTEMPTS_AT_ONCE):
        attempts.wait(f"2001:db8::{number:x}")
    assert attempts.wait("2001:db8:0:0:ffff::1") > 0
    assert attempts.wait("2001:db8:0:1::1") == 0.0
    assert attempts.wait("") == 0.0


def test_too_many_attempts_refuse_the_right_token_too() -> None:
    here = site()
    form = read_form(told(ask(here, "GET", "/manage/login")))
    for _ in range(ATTEMPTS_AT_ONCE):
        page = ask(here, "POST", "/manage/login", form={**form, "token": "wrong"})
        assert "That is not the token." in told(page)
    page = ask(here, "POST", "/manage/login", form={**form, "token": TOKEN})
    assert page[2] == 403
    assert int((page[3] or {})["Retry-After"]) in range(1, int(ATTEMPT_SECONDS) + 1)
    assert "Too many attempts." in told(page)


def test_a_form_is_claimed_once_and_forgotten_for_later_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shared, "SLOTS", 1)
    sent = SentForms()
    assert [sent.claim(HEX), sent.claim(HEX), sent.claim(HEX[::-1])] == [True, False, True]
    assert sent.claim(HEX)


def test_a_list_has_its_pages() -> None:
    here = site(packs=271)
    for query, first, links in (
        ("", 1, "123…10"),
        ("page=5", 121, "1…34567…10"),
        ("page=10", 271, "1…8910"),
    ):
        page = told(ask(here, "GET", "/manage", query=query))
        assert re.findall(r"<small>(\d+)</small>", page)[0] == str(first)
        pages = re.findall(r'(?s)<nav class="pages".*?</nav>', page)[0]
        assert "".join(re.findall(r">([\d…]+)<", pages)) == links
    for query in ("page=11", "page=999999"):
        assert ask(here, "GET", "/manage", query=query)[2] == 404
    plain = ask(here, "GET", "/manage")
    for query in (
        "page=0",
        "page=-1",
        "page=1'",
        "<script>",
        "done=<b>",
        "\udcff",
        "page=1&page=2",
    ):
        assert ask(here, "GET", "/manage", query=query) == plain


def test_pages_are_tidy_and_keep_to_the_content_security_policy() -> None:
    here = site()
    cookie = logged_in(here)
    for route in here.routes:
        if not route.path.startswith("/manage") or route.method != "GET":
            continue
        for manager in (cookie, None):
            body = ask(here, "GET", route.path, "1", "1", manager=manager)[0]
            outline = Outline(body)
            lines = body.decode().split("\n")
            assert all(line and line == line.strip() for line in lines) or body == b""
            assert not re.search(rb"https?:|data:|[\"'=]\s*//", body)
            assert "style" not in outline.names()
            for tag, attributes in outline.tags:
                assert not [key for key in attributes if key == "style" or key.startswith("on")]
                assert tag != "script" or attributes.get("src")
                assert tag != "img" or {"width", "height", "alt"} <= attributes.keys()
