"""The supervisor of a database dies in any way: running servers replace it by themselves."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from databases import find, private
from databases.home import read_state
from databases.locks import is_locked
from databases.supervisor import RESTARTS, is_running
from handlers.availability import Availability
from handlers.engine import parse
from tests.conftest import absent
from tests.support.site_client import ballot, vote
from tests.support.site_server import Databases, SiteServer, serving, until
from tests.support.stores.databases import prepare

# 2 s are promised, which tests/long measures. An interpreter starts meanwhile, beside other tests.
SUPERVISOR_SECONDS = 6.0
DATABASE_SECONDS = 15.0
ENGINES = {
    "postgres": ("aiohttp-postgres-pool",),
    "tarantool": ("starlette-tarantool-one", "--workers", "2"),
    "mysql": ("sanic-aiomysql-gate",),
    "valkey": ("starlette-valkey-pool", "--workers", "2"),
}


class PrivateDatabase:
    """A private database in a folder of its own, seen from outside."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def is_up(self) -> bool:
        """Return whether the supervisor has written its address."""
        return "url" in read_state(self.home)

    def pid(self) -> int:
        """Its main process."""
        until(self.is_up, DATABASE_SECONDS, "the database is not up")
        return int(read_state(self.home)["pid"])

    def supervisor(self) -> int:
        """The supervisor's process: the database's parent."""
        status = Path(f"/proc/{self.pid()}/stat").read_text()
        return int(status.rpartition(")")[2].split()[1])

    def has_supervisor(self) -> bool:
        return is_locked(self.home / "supervisor.lock")

    def lose_supervisor(self, number: signal.Signals = signal.SIGKILL) -> None:
        """End the supervisor; AssertionError where nobody brings another in time."""
        gone = self.supervisor()
        os.kill(gone, number)
        # One that is told to end stops its database first.
        until(lambda: not is_running(gone), DATABASE_SECONDS, "it does not end")
        until(self.has_supervisor, SUPERVISOR_SECONDS, "nobody brought a supervisor")


@pytest.fixture
def name() -> str:
    """The database that stands for all; tests/long has the others."""
    return "tarantool"


@pytest.fixture
def site(name: str, tmp_path: Path) -> Iterator[tuple[SiteServer, PrivateDatabase]]:
    """A server on a database of its own, which nobody else holds."""
    missing = find(name).missing()
    if missing:
        absent(missing)
    engine, *options = ENGINES[name]
    described = Availability([parse(engine)], None).describe(parse(engine))
    if not described["runs"]:
        absent(described["reason"])
    databases = Databases(tmp_path)
    prepare(name, tmp_path)
    with serving(engine, databases.env(), *options) as server:
        yield server, PrivateDatabase(tmp_path / name)


def check_votes(server: SiteServer) -> None:
    """The site works, and its votes count; each worker finds the database by itself."""

    def counts() -> bool:
        with contextlib.suppress(AssertionError):
            found = ballot(server.url)
            answer = vote(server.url, found.plus, found.minus)
            return answer.headers.get("location") == "/?voted=1"
        return False

    until(counts, DATABASE_SECONDS, "it did not come back")


def test_a_running_server_brings_another_supervisor(
    site: tuple[SiteServer, PrivateDatabase],
) -> None:
    """It does so a second time, and for a supervisor that was asked to end."""
    server, kept = site
    check_votes(server)
    for number in (signal.SIGKILL, signal.SIGTERM):
        kept.lose_supervisor(number)
        check_votes(server)
    assert "had died and was replaced" in server.log()
    assert "Traceback" not in server.log()


def test_a_database_that_keeps_dying_is_not_given_up_by_who_needs_it(
    site: tuple[SiteServer, PrivateDatabase],
) -> None:
    server, kept = site
    supervisor = kept.supervisor()
    for _ in range(RESTARTS + 1):
        with contextlib.suppress(ProcessLookupError):
            os.kill(kept.pid(), signal.SIGKILL)
        until(lambda: not kept.is_up(), DATABASE_SECONDS, "it does not die")
    until(lambda: not is_running(supervisor), DATABASE_SECONDS, "it is kept on")
    until(kept.has_supervisor, SUPERVISOR_SECONDS, "nobody brought a supervisor")
    check_votes(server)


def test_supervisors_that_cannot_write_are_followed_by_one_that_can(
    site: tuple[SiteServer, PrivateDatabase],
) -> None:
    """A full disk has the same effect, for a while."""
    server, kept = site
    gone, obstacle = kept.supervisor(), kept.home / "state.json.new"
    obstacle.mkdir()
    os.kill(gone, signal.SIGKILL)
    log = kept.home / "supervisor.log"
    until(lambda: "Is a directory" in log.read_text(), DATABASE_SECONDS, "it could write")
    assert not kept.is_up()
    obstacle.rmdir()
    check_votes(server)
    assert "Traceback" not in log.read_text()


def test_who_only_holds_a_database_may_check_its_supervisor(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A race between two servers, say."""
    monkeypatch.setenv("VAR_DIR", str(tmp_path))
    prepare(name, tmp_path)
    kept = PrivateDatabase(tmp_path / name)
    handle = private.join(name)
    everywhere = os.sched_getaffinity(0)
    try:
        gone = kept.supervisor()
        os.sched_setaffinity(0, {min(everywhere)})
        os.kill(gone, signal.SIGKILL)

        def replaced() -> bool:
            handle.check_supervisor()
            return kept.has_supervisor()

        until(lambda: not kept.has_supervisor(), SUPERVISOR_SECONDS, "its lock is still held")
        until(replaced, SUPERVISOR_SECONDS, "no supervisor was brought")
        url = handle.url
        assert kept.supervisor() != gone
        # It is not where its user is pinned.
        assert os.sched_getaffinity(kept.supervisor()) == everywhere
        again = private.join(name)
        assert again.url == url
        again.leave()
    finally:
        os.sched_setaffinity(0, everywhere)
        handle.leave()
        until(lambda: not kept.has_supervisor(), DATABASE_SECONDS, "the supervisor did not end")
