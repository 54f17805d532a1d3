"""Malformed requests over a raw socket are refused, and the server goes on."""

from __future__ import annotations

import re
import socket
import struct

import pytest

from handlers import (
    BARE_LF,
    CHUNK_BLANK,
    HTTP_2,
    LENGTH_AND_CODING,
    LOOSE_CHUNK,
    LOOSE_HEAD,
    TWO_LENGTHS,
)
from tests.support.engines import (
    BARE,
    OLD_SANIC,
    ON_EACH_SERVER,
    PAIRED,
    on,
)
from tests.support.site_client import TIMEOUT, ballot, get, raw, vote
from tests.support.site_server import SiteServer

HOST = b"Host: x\r\nConnection: close\r\n"
POST = b"POST / HTTP/1.1\r\n" + HOST

MALFORMED: dict[str, bytes] = {
    "noise": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)),
    "one word": b"HELLO\r\n\r\n",
    "no version": b"GET /\r\n" + HOST + b"\r\n",
    "no such version": b"GET / HTTP/9.9\r\n" + HOST + b"\r\n",
    "no HTTP": b"GET / SPDY/1.1\r\n" + HOST + b"\r\n",
    "spaces in the path": b"GET /a b c HTTP/1.1\r\n" + HOST + b"\r\n",
    "NUL in the path": b"GET /\0 HTTP/1.1\r\n" + HOST + b"\r\n",
    "not ASCII in the path": b"GET /\xb9 HTTP/1.1\r\n" + HOST + b"\r\n",
    "not ASCII in a known path": b"GET /stickers/1/\xb9 HTTP/1.1\r\n" + HOST + b"\r\n",
    "not ASCII behind a path": b"GET /good?a=\xc3 HTTP/1.1\r\n" + HOST + b"\r\n",
    "NUL in the method": b"GE\0T / HTTP/1.1\r\n" + HOST + b"\r\n",
    "NULs": b"\0" * 4096 + b"\r\n\r\n",
    "no URL": b"GET  HTTP/1.1\r\n" + HOST + b"\r\n",
    "relative URL": b"GET ugly HTTP/1.1\r\n" + HOST + b"\r\n",
    "URL without a path": b"GET http://x HTTP/1.1\r\n" + HOST + b"\r\n",
    "URL of another scheme": b"GET ://[ HTTP/1.1\r\n" + HOST + b"\r\n",
    "header without a colon": b"GET / HTTP/1.1\r\nHost x\r\n" + HOST + b"\r\n",
    "header without a name": b"GET / HTTP/1.1\r\n: x\r\n" + HOST + b"\r\n",
    "space in a name": b"GET / HTTP/1.1\r\nA b: x\r\n" + HOST + b"\r\n",
    "NUL in a name": b"GET / HTTP/1.1\r\nA\0: x\r\n" + HOST + b"\r\n",
    "not ASCII in a name": b"GET / HTTP/1.1\r\n\xff\xfe: x\r\n" + HOST + b"\r\n",
    "folded header": b"GET / HTTP/1.1\r\nA: x\r\n  y\r\n" + HOST + b"\r\n",
    "100 KB in one header": b"GET / HTTP/1.1\r\n" + HOST + b"A: " + b"a" * 100_000 + b"\r\n\r\n",
    "100 KB of headers": b"GET / HTTP/1.1\r\n" + HOST + b"A: aaaaa\r\n" * 10_000 + b"\r\n",
    "100 KB of a path": b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n",
    "100 KB without an end": b"GET / HTTP/1.1\r\nA: " + b"a" * 100_000,
    "length is a word": POST + b"Content-Length: x\r\n\r\n",
    "length is negative": POST + b"Content-Length: -1\r\n\r\nabc",
    "length is signed": POST + b"Content-Length: +3\r\n\r\nabc",
    "length is a fraction": POST + b"Content-Length: 1.5\r\n\r\nabc",
    "length is endless": POST + b"Content-Length: " + b"9" * 40 + b"\r\n\r\nabc",
    "two lengths": POST + b"Content-Length: 3\r\nContent-Length: 30\r\n\r\nabc",
    "chunk size is a word": POST + b"Transfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n0\r\n\r\n",
    "chunk size is negative": POST + b"Transfer-Encoding: chunked\r\n\r\n-3\r\nabc\r\n0\r\n\r\n",
    "chunk size is endless": POST + b"Transfer-Encoding: chunked\r\n\r\n" + b"f" * 40 + b"\r\nabc",
    "chunk is longer than it says": POST
    + b"Transfer-Encoding: chunked\r\n\r\n2\r\nabcd\r\n0\r\n\r\n",
    "coding is unknown": POST + b"Transfer-Encoding: brotli\r\n\r\nabc",
    "upgrade to a WebSocket": b"GET /ugly HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\n"
    b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: eHh4eHh4eHh4eHh4eHh4eA==\r\n\r\n",
    "expectation is not UTF-8": b"GET / HTTP/1.1\r\n" + HOST + b"Expect: \xff\xfe\r\n\r\n",
    "expectation of no page": b"GET /no HTTP/1.1\r\n" + HOST + b"Expect: \xff\r\n\r\n",
    "coding and length": POST
    + b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\nGET /ugly HTTP/1.1\r\n\r\n",
}
UPGRADE = (
    b"GET /ugly HTTP/1.1\r\nHost: x\r\nConnection: upgrade, HTTP2-Settings\r\n"
    b"Upgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n"
)
UNFINISHED: dict[str, bytes] = {
    "nothing": b"",
    "part of a method": b"PO",
    "request line": b"GET / HTTP/1.1\r\n",
    "half the headers": b"GET / HTTP/1.1\r\nHost: x\r\nCook",
    "no body": POST + b"Content-Length: 100\r\n\r\n",
    "half a body": POST + b"Content-Length: 100\r\n\r\nvote_plus=1",
    "half a chunk": POST + b"Transfer-Encoding: chunked\r\n\r\n10\r\nabc",
    "no last chunk": POST + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
}


VOTE = b"vote_plus=" + b"0" * 32 + b"&vote_minus=" + b"1" * 32
LENGTH, SIZE = str(len(VOTE)), f"{len(VOTE):x}"
ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")


def sized(length: str) -> bytes:
    """Return a vote with a Content-Length."""
    return POST + f"Content-Length:{length}\r\n\r\n".encode() + VOTE


def chunked(size: str, end: bytes = b"\r\n") -> bytes:
    """Return a vote in one chunk."""
    head = POST + b"Transfer-Encoding: chunked\r\n\r\n"
    return head + size.encode() + end + VOTE + b"\r\n0\r\n\r\n"


# What one parser takes and another one does not, so that a proxy and a server may disagree.
LENGTHS: dict[str, bytes] = {
    "no chunk size": POST + b"Transfer-Encoding: chunked\r\n\r\n\r\n",
    "chunk size in Arabic digits": chunked(SIZE.translate(ARABIC)),
    "length in Arabic digits": sized(" " + LENGTH.translate(ARABIC)),
    "length behind a blank of Unicode's": sized("\u00a0" + LENGTH),
}
# The body is a vote for whoever takes the first length, or the last.
LONGER = str(len(VOTE) + 4)
LENGTHS["length in Arabic digits before another"] = (
    sized(f" {LENGTH.translate(ARABIC)}\r\nContent-Length: {LONGER}") + b"&a=b"
)
TWICE: dict[str, bytes] = {
    "the first is right": sized(f" {LENGTH}\r\nContent-Length: {LONGER}") + b"&a=b",
    "the last is right": sized(f" {LONGER}\r\nContent-Length: {LENGTH}"),
}
LENGTH_AND_CHUNKS = sized(f" {LENGTH}\r\nTransfer-Encoding: chunked")
HEADS: dict[str, bytes] = {
    "CR in a value": b"GET /ugly HTTP/1.1\r\n" + HOST + b"A: x\rB: y\r\n\r\n",
    "CR in a name": b"GET /ugly HTTP/1.1\r\n" + HOST + b"A\rB: y\r\n\r\n",
    "space before a colon": b"GET /ugly HTTP/1.1\r\n" + HOST + b"A : y\r\n\r\n",
    "tab before a colon": b"GET /ugly HTTP/1.1\r\n" + HOST + b"A\t: y\r\n\r\n",
}
LF_BEHIND_A_LINE = b"GET /ugly HTTP/1.1\n" + HOST + b"\r\n"
BLANK_BEHIND_A_SIZE = chunked(SIZE + " ")
CHUNKS: dict[str, bytes] = {
    "LF behind a chunk size": chunked(SIZE, b"\n"),
    # The size is one of the last chunk, so that who takes it has the whole vote.
    "chunk size in Python's form": chunked(SIZE).replace(b"\r\n0\r\n\r\n", b"\r\n0x0\r\n\r\n"),
}

# Sanic's own parser takes more on CPython 3.7.
ENGINES = [*ON_EACH_SERVER, OLD_SANIC]

ANSWERED = re.compile(rb"HTTP/1\.[01] (\d{3}) ")


def check_alive(site: SiteServer) -> None:
    """Check that the server serves as before and logged nothing."""
    assert get(site.url, "/ugly").body == b"UGLY"
    found = ballot(site.url)
    assert vote(site.url, found.plus, found.minus).headers["location"] == "/?voted=1"
    assert site.news() == ""


@pytest.mark.parametrize("what", MALFORMED)
@on(ENGINES, others=PAIRED)
def test_what_is_not_http_is_refused(site: SiteServer, what: str) -> None:
    answer = raw(site.port, MALFORMED[what], close=True)
    statuses = [int(status) for status in ANSWERED.findall(answer)]
    # Some servers read a little more than the standard; none may break, or be talked into
    # answering twice.
    assert len(statuses) <= 1, answer
    # 501 is the standard's answer to a coding that a server does not know.
    assert not [status for status in statuses if status >= 500 and status != 501], answer
    check_alive(site)


@on(ENGINES, gap=HTTP_2, others=PAIRED)
def test_nobody_is_answered_in_http_2(site: SiteServer) -> None:
    with socket.create_connection(("127.0.0.1", site.port), TIMEOUT) as connection:
        connection.sendall(UPGRADE)
        assert not connection.recv(65536).startswith(b"HTTP/1.1 101 ")
    check_alive(site)


@on(ENGINES, others=PAIRED)
def test_a_correct_length_is_taken(site: SiteServer) -> None:
    for right in (sized(f"\t0{LENGTH}"), chunked(f"0{SIZE.upper()};a=b")):
        assert ANSWERED.findall(raw(site.port, right)) == [b"303"]


@pytest.mark.parametrize("what", LENGTHS)
@on(ENGINES, others=PAIRED)
def test_a_length_that_is_no_number_of_http_is_400(site: SiteServer, what: str) -> None:
    assert ANSWERED.findall(raw(site.port, LENGTHS[what])) == [b"400"]


@pytest.mark.parametrize("what", TWICE)
@on(ENGINES, gap=TWO_LENGTHS, others=PAIRED)
def test_a_body_with_two_lengths_is_400(site: SiteServer, what: str) -> None:
    assert ANSWERED.findall(raw(site.port, TWICE[what])) == [b"400"]


@on(ENGINES, gap=LENGTH_AND_CODING, others=PAIRED)
def test_a_body_with_a_length_and_a_coding_is_400(site: SiteServer) -> None:
    assert ANSWERED.findall(raw(site.port, LENGTH_AND_CHUNKS)) == [b"400"]


@on([OLD_SANIC])
def test_a_chunked_body_with_a_length_is_400(site: SiteServer) -> None:
    both = chunked(SIZE).replace(b"Transfer", b"Content-Length: 3\r\nTransfer", 1)
    assert ANSWERED.findall(raw(site.port, both)) == [b"400"]


@pytest.mark.parametrize("what", HEADS)
@on(ENGINES, gap=LOOSE_HEAD, others=PAIRED)
def test_a_bare_cr_or_a_blank_in_a_name_is_400(site: SiteServer, what: str) -> None:
    assert ANSWERED.findall(raw(site.port, HEADS[what])) == [b"400"]


@on(ENGINES, gap=BARE_LF, others=PAIRED)
def test_a_line_that_ends_in_lf_is_400(site: SiteServer) -> None:
    assert ANSWERED.findall(raw(site.port, LF_BEHIND_A_LINE)) == [b"400"]


@on(ENGINES, gap=CHUNK_BLANK, others=PAIRED)
def test_a_blank_behind_the_size_of_a_chunk_is_400(site: SiteServer) -> None:
    assert ANSWERED.findall(raw(site.port, BLANK_BEHIND_A_SIZE)) == [b"400"]


@pytest.mark.parametrize("what", CHUNKS)
@on(ENGINES, gap=LOOSE_CHUNK, others=PAIRED)
def test_a_size_of_a_chunk_that_ends_in_another_way_is_400(site: SiteServer, what: str) -> None:
    assert ANSWERED.findall(raw(site.port, CHUNKS[what])) == [b"400"]


@pytest.mark.parametrize("reset", [False, True], ids=["closed", "reset"])
@on(BARE, others=PAIRED)
def test_half_a_request_and_gone(site: SiteServer, reset: bool) -> None:
    for sent in UNFINISHED.values():
        with socket.create_connection(("127.0.0.1", site.port), 5.0) as connection:
            if reset:
                linger = struct.pack("ii", 1, 0)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            connection.sendall(sent)
        check_alive(site)


@on(BARE, others=PAIRED)
def test_a_client_that_does_not_wait_for_the_answer(site: SiteServer) -> None:
    for path in ("/", "/good", "/ugly", "/stickers"):
        for _ in range(5):
            with socket.create_connection(("127.0.0.1", site.port), 5.0) as connection:
                linger = struct.pack("ii", 1, 0)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                connection.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    check_alive(site)


@on(BARE, others=PAIRED)
def test_a_request_in_pieces_is_a_request(site: SiteServer) -> None:
    request = b"GET /ugly HTTP/1.1\r\n" + HOST + b"\r\n"
    with socket.create_connection(("127.0.0.1", site.port), 5.0) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in request:
            connection.sendall(bytes([byte]))
        received = b""
        while chunk := connection.recv(65536):
            received += chunk
    assert received.startswith(b"HTTP/1.1 200 ")
    assert received.endswith(b"UGLY")


@on(ON_EACH_SERVER, others=PAIRED)
def test_old_http_is_answered_and_closed(site: SiteServer) -> None:
    answer = raw(site.port, b"GET /ugly HTTP/1.0\r\n\r\n")
    assert re.match(rb"HTTP/1\.[01] 200 ", answer)
    assert answer.endswith(b"UGLY")
