"""Requests beyond every size are refused while they arrive, and memory stays as it was."""

from __future__ import annotations

import gzip
import socket
import time
import zlib
from collections.abc import Iterator

import pytest

from handlers import TINY_CHUNKS
from tests.support.engines import (
    ON_MEMORY,
    PAIRED,
    on,
)
from tests.support.faults.floods import (
    FLOODS,
    MIB,
    MOST_GROWTH,
    flood,
    forget_peaks,
    packed,
    peak,
    refused_at_once,
    unread,
)
from tests.support.site_client import FORM, ask, ballot, get, raw
from tests.support.site_server import SiteServer

SIZE = 64 * MIB
# Those that differ in which part of a server bounds them.
SOME = ["body in tiny chunks", "one chunk", "body of an unknown page", "header", "empty lines"]

on_each = on(ON_MEMORY, others=PAIRED)


@pytest.fixture(autouse=True)
def alive(site: SiteServer) -> Iterator[None]:
    """The same processes serve as before."""
    before = site.tree()
    yield
    assert get(site.url, "/ugly").body == b"UGLY"
    assert get(site.url, "/").status == 200
    assert site.tree() == before


@on(ON_MEMORY, gap=TINY_CHUNKS, others=PAIRED)
def test_memory_does_not_grow_by_what_one_client_sends(site: SiteServer) -> None:
    flood(site, *FLOODS["body"], SIZE)  # what is allocated once is no growth
    growth = {name: flood(site, *FLOODS[name], SIZE) for name in SOME}
    assert max(growth.values()) < MOST_GROWTH, growth


@on_each
def test_memory_does_not_grow_by_answers_that_nobody_reads(site: SiteServer) -> None:
    before = forget_peaks(site)
    for _ in unread(site, "/static/site.css", clients=4, seconds=1.5):
        assert get(site.url, "/ugly").body == b"UGLY"
    assert peak(site) - before < 4 * MOST_GROWTH


@on_each
def test_who_reads_late_gets_every_answer(site: SiteServer) -> None:
    """Behind the answers that fill the connection, requests wait."""
    request = b"GET /static/site.css HTTP/1.1\r\nHost: x\r\n\r\n"
    last = request.replace(b"Host: x", b"Host: x\r\nConnection: close")
    body = get(site.url, "/static/site.css").body
    with socket.socket() as client:
        client.settimeout(10.0)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2**16)
        client.connect(("127.0.0.1", site.port))
        client.sendall(request * 499 + last)
        time.sleep(0.1)
        answers = b"".join(iter(lambda: client.recv(2**20), b""))
    assert answers.count(body) == 500


@on_each
@pytest.mark.parametrize("path", ["/", "/stickers"])
def test_a_body_of_8_gb_is_refused_when_it_is_announced(site: SiteServer, path: str) -> None:
    assert refused_at_once(site, path)


@on_each
def test_a_body_is_not_decompressed(site: SiteServer) -> None:
    found = ballot(site.url)
    form = f"vote_plus={found.plus}&vote_minus={found.minus}".encode()
    bodies = [("gzip", gzip.compress(form)), ("deflate", zlib.compress(form)), ("gzip", packed())]
    for name, body in bodies:
        answer = ask(site.url, "POST", "/", body, Content_Type=FORM, Content_Encoding=name)
        assert answer.status == 400
    assert ask(site.url, "POST", "/", form, Content_Type=FORM).headers["location"] == "/?voted=1"


@on_each
def test_a_form_of_many_fields_is_none(site: SiteServer) -> None:
    found = ballot(site.url)
    form = f"vote_plus={found.plus}&vote_minus={found.minus}".encode()
    assert ask(site.url, "POST", "/", form + b"&a=1" * 7, Content_Type=FORM).status == 400
    assert ask(site.url, "POST", "/", form, Content_Type=FORM).headers["location"] == "/?voted=1"


@on_each
def test_many_requests_on_one_connection_are_no_flood(site: SiteServer) -> None:
    """All of them together may be larger than one request may be."""
    request = b"GET /ugly HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 1000 + b"\r\n\r\n"
    last = request.replace(b"Host: x", b"Host: x\r\nConnection: close")
    answers = 0
    for _ in range(3):
        answers += raw(site.port, request * 1000 + last).count(b"UGLY")
    assert answers == 3003
