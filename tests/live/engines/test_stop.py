"""The end of a server: nothing accepted is lost, nothing is left behind."""

from __future__ import annotations

import contextlib
import http.client
import os
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from handlers import HALF_A_BODY
from handlers.engine import parse
from handlers.timeouts import Timeouts
from tests.support.engines import (
    BARE,
    EACH_WEB,
    ON_MEMORY,
    PAIRED,
    PAIRS,
    SERVED_AND_STORED,
    STORED,
    Starter,
    with_each,
)
from tests.support.site_client import FORM, Client, get, read_ballot
from tests.support.site_server import SiteServer, serving, until

VOTERS = 6


def check_gone(server: SiteServer, below: list[int]) -> None:
    """No process below it is left, and its port can be bound again at once."""
    assert not [pid for pid in below if os.path.exists(f"/proc/{pid}")]  # noqa: PTH110
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind(("127.0.0.1", server.port))
    assert server.log() == ""


@with_each(ON_MEMORY, others=[*PAIRED, *BARE, *PAIRS])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda it: it.name)
def test_a_signal_ends_it_in_good_order(
    starter: Starter, engine: str, number: signal.Signals
) -> None:
    """Also with connections open: one idle, one silent."""
    starter.ready(engine)
    with serving(engine, starter.databases.env()) as server, contextlib.ExitStack() as stack:
        idle = Client(server.url)
        stack.callback(idle.close)
        assert idle.ask("GET", "/").status == 200
        stack.enter_context(socket.create_connection(("127.0.0.1", server.port), 5.0))
        assert get(server.url, "/ugly").status == 200
        below = [process.pid for process in server.tree()]
        began = time.monotonic()
        assert server.stop(number) == 0
        assert time.monotonic() - began < 4.0
        check_gone(server, below)


@with_each(ON_MEMORY, others=PAIRED)
def test_a_client_that_fell_silent_does_not_hold_it_up(starter: Starter, engine: str) -> None:
    starter.ready(engine)
    limits = Timeouts(finish=1.0, cancel=0.5, stop=5.0)
    text = ",".join(f"{name}={value}" for name, value in limits._asdict().items())
    env = starter.databases.env(SITE_TIMEOUTS=text)
    with serving(engine, env) as server, contextlib.ExitStack() as stack:
        for sent in (b"GET / HT", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nvote"):
            address = ("127.0.0.1", server.port)
            connection = stack.enter_context(socket.create_connection(address, 5.0))
            connection.sendall(sent)
        assert get(server.url, "/ugly").status == 200
        below = [process.pid for process in server.tree()]
        began = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - began < limits.stop
        check_gone(server, below)


@with_each(ON_MEMORY, others=PAIRED)
def test_ctrl_c_reaches_the_whole_group_and_ends_it_quietly(starter: Starter, engine: str) -> None:
    starter.ready(engine)
    with serving(engine, starter.databases.env(), group=True) as server:
        below = [process.pid for process in server.tree()]
        os.killpg(server.pid, signal.SIGINT)
        assert server.wait() == 0
        check_gone(server, below)


@with_each(EACH_WEB, others=[*STORED, *SERVED_AND_STORED])
def test_requests_in_flight_finish(starter: Starter, engine: str) -> None:
    """The database holds a request back until the server was told to end."""
    name = starter.ready(engine).plugins[1].database
    assert name
    with serving(engine, starter.databases.env()) as server:
        clients = [Client(server.url) for _ in range(3)]
        for client in clients:
            assert client.ask("GET", "/good").status == 200
        below = [process.pid for process in server.tree()]
        with ThreadPoolExecutor(3) as pool:
            with starter.databases.frozen(name):
                asked = [pool.submit(client.ask, "GET", "/good") for client in clients]
                time.sleep(0.2)  # on their way: nothing shows from outside when they arrived
                server.send(signal.SIGTERM)
                time.sleep(0.2)  # likewise for the signal
                assert not any(answer.done() for answer in asked)
                assert server.alive()
            assert [answer.result().status for answer in asked] == [200, 200, 200]
        assert server.wait() == 0
        for client in clients:
            client.close()
        check_gone(server, below)


@with_each(ON_MEMORY, gap=HALF_A_BODY, others=PAIRED)
def test_a_body_on_its_way_is_taken(starter: Starter, engine: str) -> None:
    """The head of the request arrives before the signal, the rest of it after."""
    starter.ready(engine)
    with serving(engine, starter.databases.env()) as server:
        found = read_ballot(get(server.url, "/").text)
        form = f"vote_plus={found.plus}&vote_minus={found.minus}".encode()
        head = f"POST / HTTP/1.1\r\nHost: x\r\nContent-Type: {FORM}\r\nContent-Length: {len(form)}"
        address = ("127.0.0.1", server.port)
        with socket.create_connection(address, 5.0) as connection:
            connection.sendall(f"{head}\r\n\r\n".encode() + form[:20])
            assert get(server.url, "/ugly").status == 200  # so the server has read what we sent
            began = time.monotonic()
            server.send(signal.SIGTERM)
            until(lambda: refused(address), 5.0, "still accepting")
            with contextlib.suppress(ConnectionError):
                connection.sendall(form[20:])
            answer = received(connection)
        assert server.wait() == 0
        assert time.monotonic() - began < 4.0
    assert answer.startswith(b"HTTP/1.1 303 ")


def refused(address: tuple[str, int]) -> bool:
    """Return whether nobody listens there."""
    try:
        socket.create_connection(address, 5.0).close()
    except OSError:
        return True
    return False


def received(connection: socket.socket) -> bytes:
    """All that the server says before it closes."""
    parts = []
    with contextlib.suppress(ConnectionError):
        while part := connection.recv(65536):
            parts.append(part)
    return b"".join(parts)


def vote_on(server: SiteServer, stop: threading.Event) -> int:
    """Vote as fast as it goes until the server is gone; how many votes were acknowledged."""
    acknowledged = 0
    client = Client(server.url)
    try:
        while not stop.is_set():
            index = client.ask("GET", "/")
            if index.status == 503:  # the server ends
                break
            found = read_ballot(index.text)
            form = f"vote_plus={found.plus}&vote_minus={found.minus}".encode()
            answer = client.ask("POST", "/", form, {"Content-Type": FORM})
            acknowledged += answer.headers.get("location") == "/?voted=1"
    except (OSError, http.client.HTTPException):
        pass
    finally:
        client.close()
    return acknowledged


@with_each(EACH_WEB, others=[*STORED, *SERVED_AND_STORED])
def test_a_signal_under_load_loses_no_vote(starter: Starter, engine: str) -> None:
    name = parse(engine).plugins[1].database
    starter.ready(engine)
    assert name
    before = starter.databases.statistics_of(engine).votes
    with serving(engine, starter.databases.env()) as server:
        stop = threading.Event()
        with ThreadPoolExecutor(VOTERS) as pool:
            voters = [pool.submit(vote_on, server, stop) for _ in range(VOTERS)]
            try:
                enough = before + 10 * VOTERS
                until(
                    lambda: starter.databases.statistics_of(engine).votes > enough, 20.0, "no votes"
                )
                began = time.monotonic()
                assert server.stop() == 0
                assert time.monotonic() - began < 4.0
            finally:
                stop.set()
            acknowledged = sum(voter.result() for voter in voters)
        log = server.log()
    assert acknowledged > 10 * VOTERS
    assert starter.databases.statistics_of(engine).votes - before == acknowledged
    assert log == ""
