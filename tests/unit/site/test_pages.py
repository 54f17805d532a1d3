"""The pages' own checks of what a client sends: forms, titles, tokens, cookies, user agents."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any

import pytest

from data_interface.memory_store import MemoryStore
from data_interface.store import AGENT_LENGTH, NotFound, Pack, Sticker
from handlers.api import ApiError
from handlers.exchange import Page
from handlers.pages import visitor_of
from handlers.site import Settings, Site
from tests.unit.site.test_render import made

TOKEN = "a-token-for-the-tests"
HEX = "0123456789abcdef" * 2


class ToyVisit:
    """A visit without a framework."""

    def __init__(self, **fields: Any) -> None:
        self.session: str | None = fields.get("session")
        self.manager: str | None = fields.get("manager")
        self.address = "127.0.0.1"
        self.agent: str = fields.get("agent", "")
        self.authorization: str | None = fields.get("authorization", f"Bearer {TOKEN}")
        self.query: str = fields.get("query", "")
        self.params: tuple[str, ...] = fields.get("params", ())
        self.body: bytes = fields.get("body", b"")


def answer(
    method: str,
    path: str,
    visit: ToyVisit,
    token: str | None = TOKEN,
    store: MemoryStore | None = None,
) -> Page:
    """Return the page of a route, on an empty store unless one is given, as an adapter would."""
    site = Site(store or MemoryStore(), made("jinja"), Settings(lambda: 0, token))
    respond: Any = next(it.respond for it in site.routes if (it.method, it.path) == (method, path))
    try:
        page: Page = asyncio.run(respond(visit))
    except ApiError as error:
        return site.failed(path, error)
    return page


def form(plus: str, minus: str = HEX) -> bytes:
    return f"vote_plus={plus}&vote_minus={minus}".encode()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"vote_plus=" + HEX.encode(),
        b"vote_minus=" + HEX.encode(),
        form(HEX.upper()),
        form(HEX[:-1]),
        form(HEX + "0"),
        form(HEX + "%0a"),
        form(HEX + "%00"),
        form("%EF%BC%91" * 32),
        form("a" * 60_000),
        form("' OR '1'='1", "'; DROP TABLE tokens; --"),
        form("<script>alert(1)</script>"),
        b"vote_plus=\xff\xfe&vote_minus=\x80" + HEX.encode(),
        form("%ff%fe"),
        bytes(range(256)),
        b'{"vote_plus": "%s"}' % HEX.encode(),
        b"a=1&" * 10_000 + form(HEX),
    ],
    ids=lambda body: repr(body[:30]),
)
def test_a_form_that_is_no_vote_is_400(body: bytes) -> None:
    html, _, status, _, _ = answer("POST", "/", ToyVisit(body=body))
    assert status == 400
    assert b"alert(1)" not in html


def test_a_vote_with_unknown_tokens_is_refused() -> None:
    _, _, status, extra, _ = answer("POST", "/", ToyVisit(body=form(HEX)))
    assert (status, extra) == (303, {"Location": "/?voted=0"})


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"title"',
        b"{}",
        b'{"title": null}',
        b'{"title": 1}',
        b'{"title": ["x"]}',
        b'{"title": ""}',
        b'{"title": "   "}',
        b'{"title": "' + b"x" * 81 + b'"}',
        b'{"title": "a\\u0000b"}',
        b'{"title": "a\\nb"}',
        b'{"title": "\\ud800"}',
        b'{"title": "\xff"}',
        b"title=x",
        b"[" * 60_000,
        bytes(range(256)),
    ],
    ids=lambda body: repr(body[:30]),
)
def test_a_body_without_a_title_is_400(body: bytes) -> None:
    for method, path in (("POST", "/stickers"), ("PUT", "/stickers/{pack}")):
        _, _, status, _, _ = answer(method, path, ToyVisit(body=body, params=("1",)))
        assert status == 400


CHANGES = """
POST /stickers
PUT /stickers/{pack}
DELETE /stickers/{pack}
POST /stickers/{pack}
PUT /stickers/{pack}/{sticker}
DELETE /stickers/{pack}/{sticker}
""".split("\n")[1:-1]


def test_nothing_but_a_comparison_in_constant_time_judges_a_token(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hmac.compare_digest", lambda *_: False)
    visit = ToyVisit(authorization=f"Bearer {TOKEN}", params=("1", "1"))
    assert answer("DELETE", "/stickers/{pack}/{sticker}", visit)[2] == 401


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_needs_the_token(change: str) -> None:
    method, path = change.split()
    for given in (
        None,
        "",
        TOKEN,
        "Bearer",
        "Bearer ",
        f"Bearer {TOKEN[:-1]}",
        f"Bearer {TOKEN}x",
        f"bearer{TOKEN}",
        f"Basic {TOKEN}",
        f"Bearer {TOKEN.upper()}",
        "Bearer ünïcode",
        "Bearer \xff\xfe",
        "Bearer " + "x" * 4000,
    ):
        visit = ToyVisit(authorization=given, body=b'{"title": "x"}', params=("1", "1"))
        _, _, status, extra, _ = answer(method, path, visit)
        assert (status, extra) == (401, {"WWW-Authenticate": "Bearer"}), given
    for given in (None, "", "Bearer None", f"Bearer {TOKEN}"):
        visit = ToyVisit(authorization=given, body=b'{"title": "x"}', params=("1", "1"))
        _, _, status, _, _ = answer(method, path, visit, token=None)
        assert status == 403


def test_blanks_behind_a_token_are_not_its_own() -> None:
    visit = ToyVisit(authorization=f"Bearer {TOKEN} \t", params=("7",))
    with pytest.raises(NotFound):
        answer("DELETE", "/stickers/{pack}", visit)


@pytest.mark.parametrize(
    "session", [None, "", HEX.upper(), HEX[:-1], HEX + "0", HEX + "\n", "' OR '1'='1", "１" * 32]
)
def test_a_session_that_is_not_ours_is_a_new_visitor(session: str | None) -> None:
    assert visitor_of(ToyVisit(session=session))[0] is None
    assert visitor_of(ToyVisit(session=HEX))[0] == HEX


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("Mozilla/5.0 🦊", "Mozilla/5.0 🦊"),
        ("a\0b\tc\nd", "a?b?c?d"),
        ("half \ud83e", "half ?"),
        ("a" * 4000, "a" * AGENT_LENGTH),
        ("🦊" * 200, "🦊" * (AGENT_LENGTH // 4)),
    ],
)
def test_an_agent_is_text_that_every_database_takes(given: str, kept: str) -> None:
    assert visitor_of(ToyVisit(agent=given)) == (None, "127.0.0.1", kept)


def test_a_name_that_is_no_picture_is_404() -> None:
    site = Site(MemoryStore(), made("jinja"), Settings(lambda: 0))
    respond: Callable[[Any], Any] | None = next(
        it.respond for it in site.routes if it.path == "/pictures/{name}"
    )
    assert respond
    for name in ("0.svg", "01.svg", "2147483648.svg", "1.png", "", "-1.svg", "１.svg"):
        assert respond(ToyVisit(params=(name,)))[2] == 404, name
    assert respond(ToyVisit(params=("2147483647.svg",)))[2] == 200


@pytest.mark.parametrize(("path", "shown"), [("/good", range(12, 3, -1)), ("/bad", range(1, 10))])
def test_good_and_bad_show_nine_stickers_in_their_order(path: str, shown: range) -> None:
    store = MemoryStore()
    stickers = [Sticker(number, 1, "a", number, number, 0) for number in range(1, 13)]
    store.load([Pack(1, "a")], stickers)
    html = str(answer("GET", path, ToyVisit(), store=store)[0], "utf-8")
    assert [int(number) for number in re.findall(r"/pictures/(\d+)\.svg", html)] == list(shown)
