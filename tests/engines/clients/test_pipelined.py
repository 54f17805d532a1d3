"""Requests that come while another one of their connection waits for the database."""

from __future__ import annotations

import re
import socket
import time
from concurrent.futures import ThreadPoolExecutor

from handlers import WEB
from handlers.engine import parse
from tests.support.engines import STORED, Starter, with_each
from tests.support.site_client import ballot, get, raw, vote
from tests.support.site_server import SiteServer, serving

HEAD = b" HTTP/1.1\r\nHost: x\r\n\r\n"
INDEX, UGLY = b"GET /" + HEAD, b"GET /ugly" + HEAD
GONE = b"GET /nowhere" + HEAD
CONNECTIONS = 8
QUIET_SECONDS = 0.3
# Between a page and what is sent behind it: from at once to well after its answer.
DELAYS_US = range(0, 5000, 20)
JAPRONTO = [name for name in STORED if parse(name).web == "japronto"]
# One of each other framework: whose queues these are is no question of the database.
ENGINES = JAPRONTO + [
    next(name for name in STORED if parse(name).web == web) for web in WEB if web != "japronto"
]
# Each a list of what is sent at once.
PIPELINED: dict[str, list[bytes]] = {
    "two": [INDEX * 2],
    "many": [INDEX * 24],
    "hundreds": [INDEX * 100],
    "others behind": [INDEX + UGLY * 24],
    "none behind": [INDEX + GONE * 24],
    "others before": [UGLY * 24 + INDEX + UGLY],
    "later": [INDEX, UGLY * 24],
    "part by part": [INDEX, INDEX[:9], INDEX[9:], UGLY * 24, INDEX * 24],
    "noise behind": [INDEX + bytes(range(256)) * 4],
    "the last of its connection": [
        INDEX.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n") * 24
    ],
}


def send(server: SiteServer, pieces: list[bytes]) -> list[int]:
    """The statuses that come back before nothing does for a while."""
    received = b""
    with socket.create_connection(("127.0.0.1", server.port), 5.0) as connection:
        connection.settimeout(QUIET_SECONDS)
        try:
            for piece in pieces:
                connection.sendall(piece)
                time.sleep(0.0005)
            while chunk := connection.recv(65536):
                received += chunk
        except OSError:
            pass
    return [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d{3}) ", received)]


@with_each(ENGINES)
def test_they_are_answered_or_refused_and_nobody_dies(starter: Starter, engine: str) -> None:
    starter.ready(engine)
    with (
        serving(engine, starter.databases.env()) as server,
        ThreadPoolExecutor(CONNECTIONS) as pool,
    ):
        before = server.tree()
        for pieces in PIPELINED.values():
            found = pool.map(lambda _: send(server, pieces), range(CONNECTIONS))  # noqa: B023
            for statuses in found:
                assert set(statuses) <= {200, 400, 404, 503}, (pieces, statuses)
                assert 400 not in statuses[:-1], (pieces, statuses)
        # One after the other on one connection is nothing special.
        answers = send(server, [INDEX])
        assert answers == [200]
        one = ballot(server.url)
        assert vote(server.url, one.plus, one.minus).headers["location"] == "/?voted=1"
        assert get(server.url, "/ugly").body == b"UGLY"
        assert server.tree() == before
        assert server.log() == ""
        assert server.stop() == 0


@with_each(JAPRONTO)
def test_japronto_refuses_the_second(starter: Starter, engine: str) -> None:
    """And closes, as its queue of those that wait ends the worker when it is full."""
    starter.ready(engine)
    with serving(engine, starter.databases.env()) as server:
        answer = raw(server.port, INDEX * 2)
        assert answer.startswith(b"HTTP/1.0 400 ")
        assert answer.count(b"HTTP/1.") == 1
        assert server.stop() == 0


@with_each(JAPRONTO)
def test_there_is_no_moment_to_fill_its_queue(starter: Starter, engine: str) -> None:
    """Nor when a page has ended and its answer is not sent yet."""
    starter.ready(engine)
    with serving(engine, starter.databases.env()) as server:
        before = server.tree()
        for delay in DELAYS_US:
            behind(server, delay / 1e6)
        assert get(server.url, "/ugly").body == b"UGLY"
        assert server.tree() == before
        assert server.stop() == 0


def behind(server: SiteServer, delay: float) -> None:
    """A page, then two dozen others so many seconds later; until all are answered or refused."""
    received = b""
    with socket.create_connection(("127.0.0.1", server.port), 5.0) as connection:
        connection.settimeout(QUIET_SECONDS)
        connection.sendall(INDEX)
        # Asleep it would be late by more than a step.
        until = time.perf_counter() + delay
        while time.perf_counter() < until:
            pass
        try:
            connection.sendall(UGLY * 24)
            while received.count(b"UGLY") < 24 and (chunk := connection.recv(65536)):
                received += chunk
        except OSError:
            pass
