"""Requests that arrive while another one of their connection waits for the database."""

from __future__ import annotations

import pytest

from handlers.engine import parse
from tests.support.engines import STORED, Starter, each
from tests.support.faults.pipelined import INDEX, PATTERNS, send_all, send_behind
from tests.support.site_client import ballot, get, raw, vote
from tests.support.site_server import serving

# The queues are the framework's: on which database a page waits makes no difference to them.
ENGINES = list({parse(name).web: name for name in reversed(STORED)}.values())
JAPRONTO = [name for name in ENGINES if parse(name).web == "japronto"]
SOME = ["many", "others before", "noise behind"]
# From at once to well after the answer.
DELAYS_US = range(0, 5000, 50)


@pytest.mark.parametrize("engine", each(ENGINES))
def test_they_are_answered_or_refused_and_no_process_ends(starter: Starter, engine: str) -> None:
    starter.ready(engine)
    with serving(engine, starter.databases.env()) as server:
        before = server.tree()
        send_all(server, list(PATTERNS) if engine in JAPRONTO else SOME)
        one = ballot(server.url)
        assert vote(server.url, one.plus, one.minus).headers["location"] == "/?voted=1"
        assert get(server.url, "/ugly").body == b"UGLY"
        assert server.tree() == before
        assert server.log() == ""
        assert server.stop() == 0


@pytest.mark.parametrize("engine", each(JAPRONTO))
def test_japronto_refuses_the_second(starter: Starter, engine: str) -> None:
    """Its queue must never fill: a full one ends the worker. No moment lets requests in either."""
    starter.ready(engine)
    with serving(engine, starter.databases.env()) as server:
        before = server.tree()
        answer = raw(server.port, INDEX * 2)
        assert answer.startswith(b"HTTP/1.0 400 ")
        assert answer.count(b"HTTP/1.") == 1
        for delay in DELAYS_US:
            send_behind(server, delay / 1e6)
        assert get(server.url, "/ugly").body == b"UGLY"
        assert server.tree() == before
        assert server.stop() == 0
