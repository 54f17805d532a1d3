"""The pages over HTTP: headers, cookies, methods, what is not there."""

from __future__ import annotations

import socket
from http.client import HTTPResponse

from handlers import DECODED_PATH
from tests.support.engines import (
    BARE,
    EACH_BACKEND,
    ON_EACH_WEB,
    PAIRED,
    on,
)
from tests.support.html import OURS, PAGES, SECURITY, SESSION, UGLY, masked
from tests.support.site_client import FORM, Client, ask, ballot, get, raw, vote
from tests.support.site_server import SiteServer

TYPES = {
    "/": "text/html; charset=utf-8",
    "/good": "text/html; charset=utf-8",
    "/bad": "text/html; charset=utf-8",
    "/about": "text/html; charset=utf-8",
    "/reports/1": "text/html; charset=utf-8",
    "/reports/2": "text/html; charset=utf-8",
    "/pictures/7.svg": "image/svg+xml",
    "/stickers": "application/json; charset=utf-8",
    "/static/site.css": "text/css; charset=utf-8",
    "/static/site.js": "text/javascript; charset=utf-8",
}


@on(ON_EACH_WEB, others=PAIRED)
def test_ugly_is_what_the_framework_says_by_itself(site: SiteServer) -> None:
    own = {"date", "server", "connection", "alt-svc"}
    for method, body in (("GET", b"UGLY"), ("HEAD", b"")):
        answer = ask(site.url, method, UGLY, Cookie="session=" + "0" * 32)
        assert (answer.status, answer.body) == (200, body)
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
        assert answer.headers["content-length"] == "4"
        assert not answer.headers.keys() & set(OURS)
        assert answer.headers.keys() - own == {"content-type", "content-length"}


@on(ON_EACH_WEB, others=PAIRED)
def test_headers_of_every_other_answer(site: SiteServer) -> None:
    for path in (*TYPES, "/missing", "/stickers/0", "/stickers/missing/1", "/pictures/x"):
        answer = get(site.url, path)
        assert {name: answer.headers.get(name) for name in SECURITY} == SECURITY, path
        assert answer.headers["content-length"] == str(len(answer.body)), path
    for path, kind in TYPES.items():
        answer = get(site.url, path)
        assert (answer.status, answer.headers["content-type"]) == (200, kind), path
        forever = path.startswith(("/pictures", "/static"))
        wanted = "public, max-age=31536000, immutable" if forever else "no-store"
        assert answer.headers["cache-control"] == wanted, path
        # Pages that count no visit set no cookie.
        visited = path in ("/", "/good", "/bad")
        assert ("set-cookie" in answer.headers) == visited, path


@on(ON_EACH_WEB, others=PAIRED)
def test_pictures_are_the_same_on_every_engine(site: SiteServer, reference: SiteServer) -> None:
    for path in ("/pictures/1.svg", "/pictures/16200.svg", "/pictures/2147483647.svg"):
        answer = get(site.url, path)
        assert answer.status == 200
        assert answer.body == get(reference.url, path).body
        assert answer.body.startswith(b"<svg ")


@on([*ON_EACH_WEB, *EACH_BACKEND], others=PAIRED)
def test_a_new_visitor_gets_a_session_and_keeps_it(site: SiteServer) -> None:
    seen = set()
    for path in ("/", "/good", "/bad"):
        match = SESSION.fullmatch(get(site.url, path).headers["set-cookie"])
        assert match
        seen.add(match[1])
        for other in ("/", "/good", "/bad"):
            back = get(site.url, other, Cookie=f"theme=dark; session={match[1]}; more=1")
            assert back.status == 200
            assert "set-cookie" not in back.headers
    assert len(seen) == 3


@on(ON_EACH_WEB, others=PAIRED)
def test_head_is_get_without_the_body(site: SiteServer) -> None:
    client = Client(site.url)
    try:
        for path in (*TYPES, UGLY, "/stickers/1", "/stickers/1/1"):
            full, head = client.ask("GET", path), client.ask("HEAD", path)
            assert (head.status, head.body) == (200, b""), path
            for name in (*OURS, "content-type"):
                assert head.headers.get(name) == full.headers.get(name), path
            # A body that was sent all the same would be taken for this answer.
            assert client.ask("GET", "/ugly").body == b"UGLY"
    finally:
        client.close()


@on(ON_EACH_WEB, others=PAIRED)
def test_wrong_methods_are_405_with_the_right_ones(site: SiteServer, reference: SiteServer) -> None:
    for method, path, allowed in (
        ("POST", "/good", "GET, HEAD"),
        ("PUT", "/", "GET, HEAD, POST"),
        ("DELETE", "/ugly", "GET, HEAD"),
        ("POST", "/about", "GET, HEAD"),
        ("POST", "/reports/3", "GET, HEAD"),
        ("PATCH", "/pictures/1.svg", "GET, HEAD"),
        ("OPTIONS", "/bad", "GET, HEAD"),
        ("PATCH", "/stickers", "GET, HEAD, POST"),
        ("PATCH", "/stickers/1", "DELETE, GET, HEAD, POST, PUT"),
        ("POST", "/stickers/1/1", "DELETE, GET, HEAD, PUT"),
    ):
        answer, model = (ask(one.url, method, path) for one in (site, reference))
        assert (answer.status, answer.headers["allow"]) == (405, allowed), (method, path)
        assert answer.body == model.body
        assert {name: answer.headers.get(name) for name in SECURITY} == SECURITY


@on(ON_EACH_WEB, gap=DECODED_PATH, others=PAIRED)
def test_unknown_pages_are_404_and_say_so(site: SiteServer, reference: SiteServer) -> None:
    for path in (
        "/missing",
        "/good/",
        "/ugly/1",
        "//",
        "/reports/0",
        "/reports/6",
        "/reports/1/",
        "/pictures/",
        "/pictures/0.svg",
        "/pictures/01.svg",
        "/pictures/2147483648.svg",
        "/pictures/1.png",
        "/static/",
        "/static/site.py",
        "/static/..%2fserver.py",
        "/static/%2e%2e/server.py",
        "/stickers/",
        "/stickers/0",
        "/stickers/-1",
        "/stickers/1.5",
        "/stickers/99999999999999999999",
        "/stickers/1/99999",
        "/stickers/98765",
        "/stickers/2/1",
        "/%00",
        "/%ff%fe",
        "/" + "a" * 2000,
    ):
        answer, model = get(site.url, path), get(reference.url, path)
        assert answer.status == 404, path
        if path.startswith("/stickers/"):
            # A store may say in its own words what there is not.
            assert list(answer.json()) == list(model.json()) == ["error"]
        else:
            assert answer.body == model.body, path
        kind = "application/json" if path.startswith("/stickers") else "text/html"
        assert answer.headers["content-type"] == kind + "; charset=utf-8", path


@on(ON_EACH_WEB, others=PAIRED)
def test_the_notice_follows_a_vote(site: SiteServer, reference: SiteServer) -> None:
    notice = "Your vote has been counted"
    found = ballot(site.url)
    answer = vote(site.url, found.plus, found.minus)
    counted = get(site.url, answer.headers["location"]).text
    assert notice in counted
    assert masked(counted) == masked(get(reference.url, "/?voted=1").text)
    refused = get(site.url, vote(site.url, found.plus, found.minus).headers["location"]).text
    assert notice not in refused
    assert "That ballot was used" in refused
    assert notice not in get(site.url, "/").text
    assert notice not in get(site.url, "/?voted=2").text


@on(ON_EACH_WEB, others=PAIRED)
def test_reports_lead_to_the_first(site: SiteServer) -> None:
    for method in ("GET", "HEAD"):
        answer = ask(site.url, method, "/reports")
        assert (answer.status, answer.headers["location"]) == (302, "/reports/1")
        assert answer.body == b""


@on(ON_EACH_WEB, others=PAIRED)
def test_a_body_where_none_is_expected_harms_nobody(site: SiteServer) -> None:
    """In one piece with its head: a server may close where the body comes after the answer."""
    head = f"HTTP/1.1\r\nHost: test\r\nContent-Type: {FORM}\r\nContent-Length: 100\r\n\r\n"
    with socket.create_connection(("127.0.0.1", site.port), 5.0) as connection:
        for path in [*PAGES, "/ugly"]:
            connection.sendall(f"GET {path} {head}".encode() + b"x" * 100)
            answer = HTTPResponse(connection)
            answer.begin()
            assert answer.status == 200, path
            answer.read()


@on(BARE)
def test_24_pipelined_requests_are_all_answered(site: SiteServer) -> None:
    for page in ("/ugly", "/about"):
        request = f"GET {page} HTTP/1.1\r\nHost: test\r\n\r\n".encode()
        last = f"GET {page} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n".encode()
        assert raw(site.port, request * 23 + last).count(b"HTTP/1.1 200 ") == 24, page
