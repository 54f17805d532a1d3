"""Private databases that servers on other machines reach: `databases.away`, here or there."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from functools import cache
from typing import Protocol

import msgspec

from databases import find
from databases.database import DatabaseError
from race.discipline import Party
from race.errors import CellFailed
from race.machine.process import Child
from race.machine.remote.host import RemoteChild
from race.timeouts import TIMEOUTS
from race.web.hosts.party import Dial, FarMachine
from runtime.paths import ROOT, var

PROGRAM = "databases.away"
END_SECONDS = 15.0
"""The time for the program to stop its database and to remove the data."""


@cache
def missing_here(name: str) -> str | None:
    """Return what is missing to run a database here for servers on other machines, or None."""
    words = [sys.executable, "-m", PROGRAM, name]
    done = subprocess.run(
        words, cwd=ROOT, capture_output=True, text=True, timeout=TIMEOUTS.program, check=True
    )
    found: str | None = msgspec.json.decode(done.stdout)["missing"]
    return found


class Said(msgspec.Struct, frozen=True):
    """The answer of the program that started a database: its URL and process id."""

    url: str
    pid: int


class AwayDatabase:
    """A running database, as servers on other machines reach it.

    `machine` is None if it runs on this machine.
    """

    def __init__(self, name: str, where: str, child: Child | RemoteChild) -> None:
        """Wait until it runs. CellFailed, with nothing left of it, if it does not."""
        self.name = name
        self.machine: FarMachine | None = None
        self.cores: frozenset[int] = frozenset()
        self._where, self._child = where, child
        try:
            self._said = self._heard()
        except BaseException:
            self.leave()
            raise
        self.url = self._said.url
        address = find(name).address(self.url)
        self.address = address.host, address.port

    @property
    def pid(self) -> int:
        """The main process, on its machine; DatabaseError when it has ended."""
        if not self.running():
            raise DatabaseError(f"{self.name} on {self._where} has ended")
        return self._said.pid

    def running(self) -> bool:
        """Return whether it runs, and its machine is connected."""
        return self._child.running()

    def party(self, cores: frozenset[int]) -> Party:
        """Return it for the meters; if it is on this machine, on these cores."""
        pid = self._said.pid if self.running() else None
        return Party(pid, self.cores if self.machine else cores, self.machine)

    def reached(self, dial: Dial, who: str) -> None:
        """End it, and raise CellFailed, if the server's machine cannot reach it."""
        host, port = self.address
        try:
            with ExitStack() as failed:
                failed.callback(self.leave)
                dial(host, port, 1)
                failed.pop_all()
        except CellFailed as failure:
            raise CellFailed(
                f"{who} cannot reach {self.name} on {self._where} at {host}, port {port} "
                f"({failure}): do its firewalls let {who} in?"
            ) from None

    def leave(self) -> None:
        """End it, and remove its data."""
        if isinstance(self._child, Child):
            self._child.end(timeout=END_SECONDS)
        else:
            self._child.end()

    def _heard(self) -> Said:
        line = self._child.read_line(TIMEOUTS.host_database)
        if line is None:
            late = f"took over {TIMEOUTS.host_database:g} s to start"
            why = late if self._child.running() else self._child.complaint()
            raise CellFailed(f"{self.name} on {self._where}: {why or self._child.last_words()}")
        return msgspec.json.decode(line, type=Said)


class DatabaseStarter(Protocol):
    """A starter of private databases that servers on other machines reach."""

    def start(self, name: str) -> AwayDatabase:
        """Start a database. CellFailed if it does not start, or cannot be reached."""


class NearDatabases:
    """Databases on this machine, at an address that the server's machine `who` reaches."""

    def __init__(self, address: str, dial: Dial, who: str) -> None:
        self._address, self._dial, self._who = address, dial, who

    def start(self, name: str) -> AwayDatabase:
        words = [sys.executable, "-m", PROGRAM, name, self._address, str(var() / "away")]
        found = AwayDatabase(name, "this machine", Child(words, cwd=ROOT, pipe_output=True))
        found.reached(self._dial, self._who)
        return found
