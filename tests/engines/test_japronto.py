"""japronto's worker process: back at once when it dies, gone when its parent goes."""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Iterator

import psutil
import pytest

from tests.engines.conftest import Starter
from tests.support.site_client import get, raw
from tests.support.site_server import SiteServer, serving, until

# About a second is promised; a loaded machine needs a moment more.
BACK_SECONDS = 2.0


@pytest.fixture(params=["japronto-memory-one", "japronto-tarantool-one-uvloop"])
def server(request: pytest.FixtureRequest, starter: Starter) -> Iterator[SiteServer]:
    starter.ready(request.param)
    with serving(request.param, starter.databases.env()) as started:
        assert started.announced_pid == started.pid
        yield started


def worker(server: SiteServer) -> psutil.Process:
    """Its only child."""
    (found,) = server.tree()
    return found


def answers(server: SiteServer) -> bool:
    try:
        return get(server.url, "/").status == 200
    except OSError:
        return False


def check_replaced(server: SiteServer, dead: psutil.Process, cause: str) -> None:
    """Another worker serves, and one line says why."""
    until(lambda: answers(server), BACK_SECONDS, "the worker did not come back")
    assert worker(server).pid != dead.pid
    (line,) = server.log().splitlines()
    assert f"The worker died ({cause})" in line


def test_a_killed_worker_is_back(server: SiteServer) -> None:
    dead = worker(server)
    dead.kill()
    check_replaced(server, dead, "SIGKILL")
    replacement = worker(server)
    assert server.stop() == 0
    assert not replacement.is_running()
    assert len(server.log().splitlines()) == 1


@pytest.mark.parametrize("engine", ["japronto-tarantool-one", "japronto-postgres-one"])
def test_pipelined_requests_for_a_page_with_a_database_harm_nobody_for_long(
    starter: Starter, engine: str
) -> None:
    """A request that kills japronto: whether it does is its business, what follows is ours."""
    starter.ready(engine)
    with serving(engine, starter.databases.env()) as server:
        first = worker(server)
        raw(server.port, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 24, close=True)
        until(lambda: answers(server), BACK_SECONDS, "the worker did not come back")
        if not first.is_running():
            check_replaced(server, first, "SIGABRT")
        assert server.stop() == 0
        assert "Traceback" not in server.log()


def test_a_worker_does_not_outlive_its_parent(server: SiteServer) -> None:
    orphan = worker(server)
    server.send(signal.SIGKILL)
    server.wait()
    try:
        until(lambda: not orphan.is_running(), 2.0, "the worker outlived its parent")
    finally:
        with contextlib.suppress(psutil.NoSuchProcess):
            orphan.kill()


def test_it_can_be_stopped_while_the_worker_is_away(server: SiteServer) -> None:
    worker(server).kill()
    assert server.stop() == 0
    until(lambda: not raw_answers(server), 2.0, "somebody still answers")


def raw_answers(server: SiteServer) -> bool:
    try:
        return bool(raw(server.port, b"GET /ugly HTTP/1.0\r\n\r\n"))
    except ConnectionRefusedError:
        return False


@pytest.mark.parametrize("server", ["japronto-memory-one"], indirect=True)
def test_a_worker_that_hangs_is_ended_with_its_parent(server: SiteServer) -> None:
    hung = worker(server)
    hung.suspend()
    began = time.monotonic()
    assert server.stop() == 0
    assert time.monotonic() - began < 12.0
    assert not hung.is_running()


def test_a_worker_that_dies_again_and_again_ends_the_server(server: SiteServer) -> None:
    def kill() -> bool:
        for process in server.tree():
            process.kill()
        return not server.alive()

    until(kill, 30.0, "it went on for ever")
    assert server.wait() == 1
    assert "giving up" in server.log().splitlines()[-1]
