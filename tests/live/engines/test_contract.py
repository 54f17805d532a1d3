"""The rules for adapters besides right pages; the list is in `handlers/web/__init__.py`."""

from __future__ import annotations

import asyncio
import http.client
import socket
import time

import pytest

from data_interface import Backend
from data_interface.votes import store_of
from handlers import CLOSED, DECODED_PATH, ESCAPED_SLASH, HALF_CLOSED, KEPT_OPEN
from handlers.engine import parse
from tests.support.engines import (
    BARE,
    EACH_WEB,
    ON_EACH_WEB,
    PAIRED,
    SERVED_AND_STORED,
    Starter,
    on,
)
from tests.support.html import SESSION
from tests.support.site_client import FORM, ballot, get, raw
from tests.support.site_server import SiteServer
from tests.support.stores.insiders import INSIDERS

# Some frameworks believe a header from the first, none from the second.
PEERS = ("127.0.0.1", "127.0.0.2")
CLAIMED = "203.0.113.9"
CLAIMS = {
    "X-Forwarded-For": CLAIMED,
    "X-Real-IP": CLAIMED,
    "Forwarded": f"for={CLAIMED};proto=https;host=elsewhere.example",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": "elsewhere.example",
    "Via": "1.1 elsewhere.example",
}


@on(EACH_WEB, others=SERVED_AND_STORED)
@pytest.mark.parametrize("peer", PEERS)
def test_the_address_is_the_peers(site: SiteServer, starter: Starter, peer: str) -> None:
    backend = parse(site.engine).plugins[1]
    name = backend.database
    assert name
    connection = http.client.HTTPConnection(
        "127.0.0.1", site.port, timeout=5.0, source_address=(peer, 0)
    )
    try:
        connection.request("GET", "/good", headers=CLAIMS)
        response = connection.getresponse()
        match = SESSION.fullmatch(response.headers["set-cookie"])
        response.read()
    finally:
        connection.close()
    assert match
    assert stored_address(backend, starter.databases.hold(name), match[1]) == peer


def stored_address(backend: Backend, url: str, session: str) -> str:
    """The address of a session, as the database has it."""

    async def read() -> str:
        store = store_of(str(backend.database), url, backend.layout)
        await store.open()
        try:
            async with INSIDERS[backend.layout or backend.database](store, url) as insider:
                address: str = (await insider.session(session))[0]
                return address
        finally:
            await store.close()

    return asyncio.run(read())


@on(ON_EACH_WEB, gap=(ESCAPED_SLASH, DECODED_PATH), others=PAIRED)
def test_an_escaped_slash_is_no_slash(site: SiteServer, reference: SiteServer) -> None:
    for path in (
        "/pictures*1.svg",
        "/pictures/*1.svg",
        "/pictures/a*1.svg",
        "/pictures/1.svg*",
        "/static*site.css",
        "/static/..*static*site.css",
        "/stickers*1",
        "/stickers/1*1",
        "/stickers*1*1",
        "/stickers/1/*1",
        "/*good",
        "/good*",
        "/*",
    ):
        for escaped in (path.replace("*", "%2F"), path.replace("*", "%2f")):
            answer = get(site.url, escaped)
            assert answer.status == 404, escaped
            assert "location" not in answer.headers, escaped
            if not escaped.startswith("/stickers"):
                assert answer.body == get(reference.url, escaped).body, escaped


@on(ON_EACH_WEB, others=PAIRED)
def test_nobody_is_sent_to_another_slash(site: SiteServer) -> None:
    for path in (
        "/good/",
        "/ugly/",
        "//",
        "///",
        "//good",
        "/about//",
        "/stickers/",
        "/stickers/1/",
    ):
        for method in ("GET", "HEAD", "POST"):
            line = f"{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
            answer = raw(site.port, line.encode() + b"Content-Length: 0\r\n\r\n")
            assert answer.startswith(b"HTTP/1.1 404 "), (method, path, answer[:80])
            assert b"\r\nlocation:" not in answer.lower(), (method, path)


@on([*BARE, *ON_EACH_WEB], others=PAIRED)
def test_a_page_is_made_once_the_whole_body_came(site: SiteServer) -> None:
    found = ballot(site.url)
    form = f"vote_plus={found.plus}&vote_minus={found.minus}".encode()
    head = f"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: {FORM}\r\n"
    head += f"Content-Length: {len(form)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", site.port), 5.0) as connection:
        for part in (head.encode(), form[:20], form[20:-1]):
            connection.sendall(part)
            connection.settimeout(0.1)
            with pytest.raises(TimeoutError):
                connection.recv(1)
        connection.settimeout(5.0)
        connection.sendall(form[-1:])
        assert connection.recv(65536).startswith(b"HTTP/1.1 303 ")


@on([*BARE, *ON_EACH_WEB], others=PAIRED)
def test_a_client_that_asks_before_it_sends_is_told_to_go_on(site: SiteServer) -> None:
    found = ballot(site.url)
    form = f"vote_plus={found.plus}&vote_minus={found.minus}".encode()
    head = f"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: {FORM}\r\n"
    head += f"Expect: 100-continue\r\nContent-Length: {len(form)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", site.port), 5.0) as connection:
        connection.sendall(head.encode())
        time.sleep(0.1)  # as curl does: who hears nothing sends all the same
        connection.sendall(form)
        received = b""
        while part := connection.recv(65536):
            received += part
    assert b"HTTP/1.1 303 " in received


@on(EACH_WEB, gap=(HALF_CLOSED, CLOSED), others=SERVED_AND_STORED)
def test_a_client_that_closed_its_side_is_answered(site: SiteServer) -> None:
    with socket.create_connection(("127.0.0.1", site.port), 5.0) as connection:
        # So that the request and its end arrive in one piece, before any database can answer.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
        connection.sendall(b"GET /good HTTP/1.1\r\nHost: x\r\n\r\n")
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(65536).startswith(b"HTTP/1.1 200 ")


@on([*BARE, *ON_EACH_WEB], gap=(CLOSED, KEPT_OPEN), others=PAIRED)
def test_a_page_without_a_database_is_answered_to_a_client_that_closed_its_side(
    site: SiteServer,
) -> None:
    for path in (b"/ugly", b"/about"):
        answer = raw(site.port, b"GET " + path + b" HTTP/1.1\r\nHost: x\r\n\r\n", close=True)
        assert answer.startswith(b"HTTP/1.1 200 "), path
