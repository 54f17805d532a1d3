"""Worker processes: one site, whoever answers; back at once when one dies, gone with the parent."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from databases import find
from handlers.engine import parse
from handlers.timeouts import Timeouts
from handlers.web.supervisor import MOST_FAILED_STARTS
from tests.live.engines.relay import relay
from tests.support.engines import (
    EACH_WEB,
    SERVED_AND_STORED,
    Starter,
    with_each,
)
from tests.support.html import PAGES, masked, numbers
from tests.support.site_client import TIMEOUT, Client, ballot, get, raw, vote
from tests.support.site_server import SiteServer, serving, until

WORKERS = 2
# About a second is promised; a loaded machine needs a moment more.
BACK_SECONDS = 5.0
CROWD = 12
# An answer takes no longer, also with a new connection for each query on a loaded machine.
ANSWER_SECONDS = 2.0
# The first of a crowd fill the worker's pool and its templates, and may take longer than that.
CROWD_SECONDS = 20.0
# After this time a client tries again: it was dealt to the worker that is suspended.
SHARE_SECONDS = 0.5


# Two ways to run workers: on an event loop of ours, and japronto's own. Others are like the first.
TWO = [name for name in EACH_WEB if parse(name).web in ("aiohttp", "japronto")]
each_engine = with_each(TWO, others=[*EACH_WEB, *SERVED_AND_STORED])
# Shorter than usual, so that a test need not wait for the real ones.
LIMITS = Timeouts(stop=2.0, refresh=0.3)


def env(starter: Starter) -> dict[str, str]:
    limits = f"stop={LIMITS.stop},refresh={LIMITS.refresh}"
    return starter.databases.env(SITE_TIMEOUTS=limits)


@pytest.fixture
def server(engine: str, starter: Starter) -> Iterator[SiteServer]:
    starter.ready(engine)
    with serving(engine, env(starter), "--workers", str(WORKERS)) as started:
        assert started.announced_pid == started.pid
        assert len(started.tree()) == WORKERS
        yield started


def answers(server: SiteServer, seconds: float = TIMEOUT) -> bool:
    client = Client(server.url, seconds)
    try:
        return client.ask("GET", "/").status == 200
    except OSError:
        return False
    finally:
        client.close()


@contextlib.contextmanager
def alone(server: SiteServer, number: int) -> Iterator[None]:
    """Only one of the workers runs."""
    others = [it for at, it in enumerate(server.tree()) if at != number]
    try:
        for process in others:
            process.suspend()
        yield
    finally:
        for process in others:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.resume()


def shown_by(server: SiteServer, *paths: str) -> list[list[str]]:
    """Return the pages that clients got whose connection was dealt to a running worker."""

    def ask(number: int) -> list[str]:
        client = Client(server.url, ANSWER_SECONDS)
        try:
            return [client.ask("GET", path).text for path in paths]
        except OSError:
            return []
        finally:
            client.close()

    def crowd() -> list[list[str]]:
        with ThreadPoolExecutor(CROWD) as pool:
            return [texts for texts in pool.map(ask, range(CROWD)) if texts]

    pages: list[list[str]] = until(crowd, CROWD_SECONDS, "the running worker answers nobody")
    return pages


@each_engine
def test_every_worker_gives_the_same_pages(server: SiteServer, reference: SiteServer) -> None:
    model = [masked(get(reference.url, path).text) for path in PAGES]
    for number in range(WORKERS):
        with alone(server, number):
            for texts in shown_by(server, *PAGES):
                assert [masked(text) for text in texts] == model
    assert server.stop() == 0
    assert server.log() == ""


@each_engine
def test_statistics_are_the_same_from_every_worker(server: SiteServer, starter: Starter) -> None:
    name = parse(server.engine).plugins[1].database
    assert name
    assert get(server.url, "/").status == 200
    expected = starter.databases.statistics_of(server.engine)._asdict()
    until(
        lambda: numbers(get(server.url, "/about").text) == expected,
        LIMITS.refresh + 2.0,
        "About does not show what the database counts",
    )
    for number in range(WORKERS):
        with alone(server, number):
            assert all(numbers(about) == expected for (about,) in shown_by(server, "/about"))


@each_engine
def test_statistics_are_read_once(starter: Starter, engine: str) -> None:
    """One worker of three reads them: the database sees one request for each refresh."""
    name = starter.ready(engine).plugins[1].database
    assert name
    with relay(name, starter.databases.hold(name)) as wire:
        variable, url = find(name).url_variable, wire.url
        with serving(engine, {**env(starter), variable: url}, "--workers", "3") as server:
            assert answers(server)
            wire.forget()
            time.sleep(5.5 * LIMITS.refresh)
            asked = sum(len(tap.requests) for tap in wire.asked())
    assert 3 <= asked <= 6


@each_engine
def test_votes_count_once_whoever_takes_them(server: SiteServer, starter: Starter) -> None:
    name = parse(server.engine).plugins[1].database
    assert name
    before = starter.databases.statistics_of(server.engine).votes
    ballots = [ballot(server.url) for _ in range(10)]
    with ThreadPoolExecutor(CROWD) as pool:
        asked = [
            (number, pool.submit(vote, server.url, one.plus, one.minus))
            for _ in range(4)
            for number, one in enumerate(ballots)
        ]
        counted = [
            number for number, it in asked if it.result().headers.get("location") == "/?voted=1"
        ]
    assert sorted(counted) == list(range(10))
    assert starter.databases.statistics_of(server.engine).votes - before == 10
    assert server.stop() == 0
    assert server.log() == ""


@each_engine
def test_a_killed_worker_is_back(server: SiteServer) -> None:
    for number in range(WORKERS):
        processes = server.tree()
        processes[number].kill()
        back = functools.partial(replaced, server, processes)
        until(back, BACK_SECONDS, "no other came")
        until(lambda: answers(server), BACK_SECONDS, "it does not answer")
        lines = server.news().splitlines()
        assert len(lines) == 1
        assert "The worker died (SIGKILL)" in lines[0]
    below = [process.pid for process in server.tree()]
    assert len(below) == WORKERS
    assert server.stop() == 0
    assert not any(psutil.pid_exists(pid) for pid in below)
    assert server.news() == ""


def replaced(server: SiteServer, processes: list[psutil.Process]) -> set[psutil.Process]:
    """The workers that were not there before."""
    return set(server.tree()) - set(processes)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda it: it.name)
@each_engine
def test_a_signal_ends_them_all(
    starter: Starter, server: SiteServer, number: signal.Signals
) -> None:
    """Also with connections open, to each of them."""
    below = server.tree()
    clients = [Client(server.url) for _ in range(CROWD)]
    assert {client.ask("GET", "/").status for client in clients} == {200}
    began = time.monotonic()
    assert server.stop(number) == 0
    assert time.monotonic() - began < 4.0
    for client in clients:
        client.close()
    assert not any(process.is_running() for process in below)
    assert server.log() == ""


@each_engine
def test_ctrl_c_reaches_the_whole_group_and_ends_it_quietly(starter: Starter, engine: str) -> None:
    starter.ready(engine)
    with serving(engine, starter.databases.env(), "--workers", "2", group=True) as server:
        below = server.tree()
        os.killpg(server.pid, signal.SIGINT)
        assert server.wait() == 0
        assert not any(process.is_running() for process in below)
        assert server.log() == ""


@each_engine
def test_workers_do_not_outlive_their_parent(server: SiteServer) -> None:
    orphans = server.tree()
    server.send(signal.SIGKILL)
    server.wait()
    try:
        until(lambda: not any(lives(it) for it in orphans), 5.0, "a worker outlived it")
    finally:
        for orphan in orphans:
            with contextlib.suppress(psutil.NoSuchProcess):
                orphan.kill()


def lives(process: psutil.Process) -> bool:
    """Return whether the process still runs; a zombie does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@each_engine
def test_it_can_be_stopped_while_a_worker_is_away(server: SiteServer) -> None:
    server.tree()[0].kill()
    assert server.stop() == 0
    until(lambda: not raw_answers(server), 2.0, "somebody still answers")


def raw_answers(server: SiteServer) -> bool:
    try:
        return bool(raw(server.port, b"GET /ugly HTTP/1.0\r\n\r\n"))
    except ConnectionRefusedError:
        return False


@each_engine
def test_a_worker_that_hangs_is_ended_with_its_parent(server: SiteServer) -> None:
    below = server.tree()
    below[0].suspend()
    began = time.monotonic()
    assert server.stop() == 0
    assert time.monotonic() - began < LIMITS.stop + 2.0
    assert not any(process.is_running() for process in below)


@each_engine
def test_a_worker_that_dies_again_and_again_is_back_each_time(server: SiteServer) -> None:
    """Each life has served, or it would be a failed start: nobody else answers meanwhile."""
    with alone(server, WORKERS - 1):
        for _ in range(MOST_FAILED_STARTS + 1):
            processes = server.tree()
            processes[-1].kill()
            until(functools.partial(replaced, server, processes), BACK_SECONDS, "no other came")
            # The other worker is dealt clients as well, and keeps them waiting.
            until(lambda: answers(server, SHARE_SECONDS), CROWD_SECONDS, "it does not answer")
    assert server.stop() == 0
    assert "giving up" not in server.log()
