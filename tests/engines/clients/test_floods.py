"""Requests beyond measure: refused while they arrive, and memory stays as it was."""

from __future__ import annotations

import contextlib
import gzip
import re
import socket
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.support.engines import BARE, on
from tests.support.site_client import FORM, ask, ballot, get, raw
from tests.support.site_server import SiteServer

pytestmark = on(BARE)

MIB = 2**20
SENT = 300 * MIB
MOST_GROWTH = 16 * MIB
PATIENCE_SECONDS = 20.0
# Before the end of a body can come.
AT_ONCE_SECONDS = 1.5

POST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n"
LENGTH = b"Content-Length: 8000000000\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
CHUNK = b"%x\r\n%b\r\n" % (64 * 1024, b"a" * 64 * 1024)

# How a request begins, and what follows without an end.
FLOODS: dict[str, tuple[bytes, bytes]] = {
    "body": (POST + LENGTH + b"\r\n", b"a" * MIB),
    "body in chunks": (POST + CHUNKED + b"\r\n", CHUNK * 16),
    "body in tiny chunks": (POST + CHUNKED + b"\r\n", b"1\r\na\r\n" * 50_000),
    "one chunk": (POST + CHUNKED + b"\r\n1dcd65000\r\n", b"a" * MIB),
    "body of a page that takes none": (
        b"GET /ugly HTTP/1.1\r\nHost: x\r\n" + LENGTH + b"\r\n",
        b"a" * MIB,
    ),
    "body for nobody": (b"POST /nowhere HTTP/1.1\r\n" + LENGTH + b"\r\n", b"a" * MIB),
    "header": (b"GET /ugly HTTP/1.1\r\nA: ", b"a" * MIB),
    "headers": (b"GET /ugly HTTP/1.1\r\n", b"A: aaaaaaaaaaaaa\r\n" * 50_000),
    "path": (b"GET /", b"a" * MIB),
    "method": (b"", b"a" * MIB),
    "spaces": (b"", b"\r\n" * 500_000),
}


def peak(site: SiteServer) -> int:
    """The most memory that the server's processes ever had, in bytes."""
    found = 0
    for process in [psutil.Process(site.pid), *site.tree()]:
        status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
        match = re.search(r"VmHWM:\s+(\d+) kB", status)
        assert match
        found += 1024 * int(match[1])
    return found


def flood(site: SiteServer, begin: bytes, more: bytes) -> int:
    """Send so much, for so long as it is taken; how much was."""
    sent, deadline = 0, time.monotonic() + PATIENCE_SECONDS
    with (
        socket.create_connection(("127.0.0.1", site.port), 5.0) as connection,
        contextlib.suppress(OSError),
    ):
        connection.sendall(begin)
        while sent < SENT and time.monotonic() < deadline:
            sent += connection.send(more)
    return sent


@pytest.fixture(autouse=True)
def alive(site: SiteServer) -> Iterator[None]:
    """It serves as before, from the same processes."""
    before = site.tree()
    yield
    assert get(site.url, "/ugly").body == b"UGLY"
    assert get(site.url, "/").status == 200
    assert site.tree() == before


@pytest.mark.parametrize("what", FLOODS)
def test_memory_does_not_grow_by_what_one_client_sends(site: SiteServer, what: str) -> None:
    flood(site, *FLOODS["body"])  # what is allocated once is no growth
    before = peak(site)
    flood(site, *FLOODS[what])
    grown = peak(site) - before
    assert grown < MOST_GROWTH, f"{grown / MIB:.1f} MiB"


@pytest.mark.parametrize("path", ["/", "/stickers"])
def test_a_length_beyond_measure_is_refused_at_once(site: SiteServer, path: str) -> None:
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: {FORM}\r\n".encode()
    with socket.create_connection(("127.0.0.1", site.port), AT_ONCE_SECONDS) as connection:
        connection.sendall(head + LENGTH + b"\r\n")
        answer = connection.recv(65536)
    assert re.match(rb"HTTP/1\.[01] 413 ", answer)


def test_a_body_is_not_decompressed(site: SiteServer) -> None:
    found = ballot(site.url)
    form = f"vote_plus={found.plus}&vote_minus={found.minus}".encode()
    for name, body in (("gzip", gzip.compress(form)), ("deflate", zlib.compress(form))):
        answer = ask(site.url, "POST", "/", body, Content_Type=FORM, Content_Encoding=name)
        assert answer.status == 400
    bomb = gzip.compress(b"a" * 40 * MIB)
    assert len(bomb) < 64 * 1024
    before = peak(site)
    answer = ask(site.url, "POST", "/", bomb, Content_Type=FORM, Content_Encoding="gzip")
    assert answer.status == 400
    assert peak(site) - before < MOST_GROWTH
    assert ask(site.url, "POST", "/", form, Content_Type=FORM).headers["location"] == "/?voted=1"


def test_a_form_of_many_fields_is_none(site: SiteServer) -> None:
    found = ballot(site.url)
    form = f"vote_plus={found.plus}&vote_minus={found.minus}".encode()
    assert ask(site.url, "POST", "/", form + b"&a=1" * 7, Content_Type=FORM).status == 400
    assert ask(site.url, "POST", "/", form, Content_Type=FORM).headers["location"] == "/?voted=1"


def test_requests_in_a_row_are_no_flood(site: SiteServer) -> None:
    """Of one connection, more than one request may have."""
    request = b"GET /ugly HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 1000 + b"\r\n\r\n"
    last = request.replace(b"Host: x", b"Host: x\r\nConnection: close")
    answers = 0
    for _ in range(3):
        answers += raw(site.port, request * 1000 + last).count(b"UGLY")
    assert answers == 3003
