"""Every input with what does not belong there: the page is right, and nothing else happens.

What parses the input is the framework, so each is asked on memory; what keeps the text is the
driver, so each is asked behind some framework.
"""

from __future__ import annotations

import re

from handlers.exchange import BODY_LIMIT
from tests.support.engines import (
    EACH_BACKEND,
    ON_EACH_WEB,
    ON_MEMORY,
    PAIRED,
    on,
)
from tests.support.html import SESSION, cards, masked
from tests.support.site_client import FORM, Answer, Client, change, get, raw
from tests.support.site_server import TOKEN, SiteServer

NASTY = "<script>alert(1)</script>'; DROP TABLE stickers; --"
HEX = "0123456789abcdef" * 2

COOKIES: dict[str, bytes] = {
    "empty": b"",
    "no value": b"session=",
    "upper case": b"session=" + HEX.upper().encode(),
    "short": b"session=" + HEX[:-1].encode(),
    "long": b"session=" + HEX.encode() + b"0",
    "another name": b"xsession=" + HEX.encode(),
    "in a value": b"a=session=" + HEX.encode(),
    "SQL": b"session=' OR '1'='1",
    "SQL and HTML": b"session=" + NASTY.encode(),
    "Lua": b"session=]]..os.exit()..[[",
    "not UTF-8": b"session=\xff\xfe\x80",
    "not ASCII": "session=ünïcode".encode(),
    "4 KB": b"session=" + b"a" * 4000,
    "semicolons": b";" * 3000,
    "spaces": b"session=" + b" " * 3000,
}
AGENTS: dict[str, bytes] = {
    "empty": b"",
    "SQL and HTML": NASTY.encode(),
    "format": b"%s%d%(x)s{0}{}",
    "not UTF-8": b"\xff\xfe\x80 agent",
    "UTF-8": "агент 🦊".encode(),
    "half a character": b"agent " + "🦊".encode()[:2],
    "4 KB": b"agent" * 800,
    "4 KB of UTF-8": "ü".encode() * 2000,
    "tab": b"a\tb",
}


def asked(site: SiteServer, path: str, **headers: bytes) -> Answer:
    client = Client(site.url)
    try:
        return client.ask(
            "GET", path, None, {name.replace("_", "-"): headers[name] for name in headers}
        )
    finally:
        client.close()


@on(ON_EACH_WEB, others=PAIRED)
def test_a_cookie_that_is_not_ours_is_a_new_visitor(
    site: SiteServer, reference: SiteServer
) -> None:
    for what, cookie in COOKIES.items():
        for path in ("/", "/good"):
            answer = asked(site, path, Cookie=cookie)
            assert answer.status == 200, what
            assert SESSION.fullmatch(answer.headers["set-cookie"]), what
            assert masked(answer.text) == masked(get(reference.url, path).text), what


READ_OR_NOT: dict[str, bytes] = {
    "quoted": b'session="' + HEX.encode() + b'"',
    "twice": b"session=" + HEX.encode() + b"; session=x",
    "beside odd names": b"a{b}=1; a b=2; =3; ;; session=" + HEX.encode() + b"; (c)=4",
    "beside odd bytes": b"a=\xff\xfe; session=" + HEX.encode() + b'; b="\\777\\',
    "beside a reserved name": b"path=/; expires=never; session=" + HEX.encode(),
    "in a prefix": b"__Host-session=" + HEX.encode(),
    "escaped": b"session=" + HEX[:-1].encode() + b"%66",
}


@on(ON_EACH_WEB, others=PAIRED)
def test_a_cookie_that_frameworks_read_each_in_their_way(site: SiteServer) -> None:
    for what, cookie in READ_OR_NOT.items():
        for path in ("/", "/good"):
            answer = asked(site, path, Cookie=cookie)
            assert answer.status == 200, what
            again = answer.headers.get("set-cookie")
            assert again is None or SESSION.fullmatch(again), what


@on([*ON_EACH_WEB, *EACH_BACKEND], others=PAIRED)
def test_an_agent_is_only_kept(site: SiteServer, reference: SiteServer) -> None:
    for what, agent in AGENTS.items():
        for path in ("/", "/bad"):
            # Twice: inserting a session and changing one are two ways to keep the text.
            first = asked(site, path, User_Agent=agent)
            assert first.status == 200, what
            match = SESSION.fullmatch(first.headers["set-cookie"])
            assert match, what
            cookie = f"session={match[1]}".encode()
            again = asked(site, path, User_Agent=agent, Cookie=cookie)
            assert again.status == 200, what
            assert masked(again.text) == masked(get(reference.url, path).text), what


@on([*ON_EACH_WEB, *EACH_BACKEND], others=PAIRED)
def test_a_missing_agent_and_a_repeated_cookie(site: SiteServer) -> None:
    request = b"GET /good HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%b\r\n"
    assert raw(site.port, request % b"").startswith(b"HTTP/1.1 200 ")
    twice = b"Cookie: session=%b\r\nCookie: a=b\r\n" % HEX.encode()
    assert raw(site.port, request % twice).startswith(b"HTTP/1.1 200 ")


@on(ON_EACH_WEB, others=PAIRED)
def test_a_control_character_in_a_header_is_refused_or_kept_out(site: SiteServer) -> None:
    for byte in (b"\0", b"\x01", b"\x7f", b"\x85"):
        for name in (b"User-Agent", b"Cookie", b"Authorization"):
            head = b"GET /good HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
            answer = raw(site.port, head + name + b": a" + byte + b"b\r\n\r\n")
            assert re.match(rb"HTTP/1\.[01] (200|400) ", answer), (byte, name, answer[:200])


@on(ON_EACH_WEB, others=PAIRED)
def test_headers_beyond_measure_are_refused(site: SiteServer) -> None:
    for size in (20_000, 100_000):
        for name in (b"Cookie", b"User-Agent", b"X-Any"):
            head = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
            answer = raw(site.port, head + name + b": " + b"a" * size + b"\r\n\r\n")
            # japronto has no limit of its own for the first size.
            assert re.match(rb"HTTP/1\.[01] (200|400|413|431) |\Z", answer), (size, name)
    assert get(site.url, "/ugly").body == b"UGLY"


@on(ON_EACH_WEB, others=PAIRED)
def test_queries_and_paths_are_not_echoed(site: SiteServer) -> None:
    for path in (
        "/?voted=%3Cscript%3Ealert(1)%3C/script%3E",
        "/?voted=1%27%20OR%201=1",
        "/?%ff%fe",
        "/?" + "a" * 3000,
        "/%3Cscript%3Ealert(1)%3C/script%3E",
        "/pictures/%3Cscript%3E.svg",
        "/stickers/1%27%20OR%201=1",
        "/stickers/1/1;DROP%20TABLE%20stickers",
        "/stickers/%EF%BC%91",
        "/stickers/%3Cscript%3E",
    ):
        answer = get(site.url, path)
        assert answer.status == (200 if path.startswith("/?") else 404), path
        assert b"script>alert" not in answer.body
        assert b"<script>" not in answer.body
        assert b"DROP" not in answer.body
        assert b"voted" not in answer.body


@on([*ON_MEMORY[:1], *EACH_BACKEND])
def test_titles_are_escaped_in_html(site: SiteServer) -> None:
    """The best and the worst sticker get a nasty title; Good and Bad must show it as text."""
    escaped = "&lt;script&gt;alert(1)&lt;/script&gt;&#39;; DROP TABLE stickers; --"
    for page in ("/good", "/bad"):
        number = cards(get(site.url, page).text)[0][0]
        path = f"/stickers/{(number - 1) // 30 + 1}/{number}"
        title = get(site.url, path).json()["title"]
        try:
            assert change(site.url, "PUT", path, {"title": NASTY}, TOKEN).status == 200
            assert get(site.url, path).json()["title"] == NASTY
            html = get(site.url, page).text
            assert html.count(f"<h2>{escaped}</h2>") == 1
            assert NASTY not in html
            assert "<script>alert" not in html
        finally:
            assert change(site.url, "PUT", path, {"title": title}, TOKEN).status == 200
        assert NASTY not in get(site.url, page).text


@on(ON_EACH_WEB, others=PAIRED)
def test_a_body_over_the_limit_is_413(site: SiteServer) -> None:
    sizes = ((BODY_LIMIT - 1, {400, 401}), (BODY_LIMIT + 1, {413}), (20 * BODY_LIMIT, {413}))
    for path in ("/", "/stickers", "/stickers/1"):
        kind = b"application/json" if path.startswith("/stickers") else b"text/html"
        for size, statuses in sizes:
            head = f"POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
            head += f"Content-Type: {FORM}\r\nContent-Length: {size}\r\n\r\n"
            answer = raw(site.port, head.encode() + b"vote_plus=".ljust(size, b"a"))
            assert int(answer.split(b" ", 2)[1]) in statuses, (path, size, answer[:200])
            assert b"content-type: " + kind in answer.lower()
            assert b"content-security-policy" in answer.lower()
    assert get(site.url, "/ugly").body == b"UGLY"


@on(ON_EACH_WEB, others=PAIRED)
def test_a_body_in_chunks_over_the_limit_is_413(site: SiteServer) -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunk = b"%x\r\n%b\r\n" % (16_384, b"a" * 16_384)
    assert raw(site.port, head + chunk * 8 + b"0\r\n\r\n").split(b" ", 2)[1] == b"413"
    assert raw(site.port, head + chunk * 2 + b"0\r\n\r\n").split(b" ", 2)[1] == b"400"
    assert get(site.url, "/ugly").body == b"UGLY"
