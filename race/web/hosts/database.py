"""The databases of a race on another machine, started there from files that travel to it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from databases import find
from databases.database import DatabaseError
from race.errors import CellFailed, RaceError
from race.machine.describe import number
from race.machine.remote.host import Host, RemoteChild
from race.saved.model import Figures
from race.timeouts import TIMEOUTS
from race.web.hosts.party import FarMachine, PartyHost, files_of, trips_from
from race.web.scenario import DATABASE, SiteScenario
from runtime.paths import ROOT

FOLDERS = ("databases", "runtime", "tarantool")
PROGRAM = "databases.away"


class DatabaseHost(PartyHost):
    """The machine of the databases: a Python, and the programs of those that the race uses.

    What a database kept is lost with the connection.
    """

    party = DATABASE

    def __init__(self, scenario: SiteScenario, names: Iterable[str]) -> None:
        self._names = sorted(set(names))
        super().__init__(scenario)

    def set_up(self) -> None:
        self.address = self.their_address()
        self.host.ask("put", files_of(ROOT, *FOLDERS))
        self.versions = {name: self._version(name) for name in self._names}

    def start(self, name: str) -> FarDatabase:
        """Start a database. CellFailed if it does not start, or cannot be reached from here."""
        host = self.connected()
        words = [host.python, "-m", PROGRAM, name, self.address]
        child = host.start(words, self.cores)
        try:
            line = child.read_line(TIMEOUTS.host_database)
            if line is None:
                late = f"took over {TIMEOUTS.host_database:g} s to start"
                why = late if child.running() else child.complaint() or child.last_words()
                raise CellFailed(f"{name} on {self.name}: {why}")
            said = msgspec.json.decode(line)
            found = FarDatabase(self, host, name, child, said["url"], said["pid"])
            self._reach(found)
        except BaseException:
            child.end()
            raise
        return found

    def _reach(self, database: FarDatabase) -> None:
        """CellFailed if the server's machine cannot reach a database."""
        try:
            trips_from(None)(*database.place, 1)
        except CellFailed as failure:
            raise CellFailed(
                f"{failure}: open the ports of {self.name} to this machine for {database.name}"
            ) from None

    def _version(self, name: str) -> str | None:
        text: str = self.host.ask("output", [self.host.python, "-m", PROGRAM, name])
        try:
            said: dict[str, Any] = msgspec.json.decode(text)
        except msgspec.DecodeError:
            raise RaceError(
                f"{self.host.python} on {self.name} does not run {PROGRAM} "
                f"({text.splitlines()[-1] if text else 'without a word'})"
            ) from None
        if said["missing"]:
            raise RaceError(f"{self.name} has {said['missing']}")
        return number(said["version"] or "")


class FarDatabase:
    """A running database on another machine, as `race.web.databases.DatabaseHold`."""

    def __init__(
        self, where: DatabaseHost, host: Host, name: str, child: RemoteChild, url: str, pid: int
    ) -> None:
        self.name, self.url = name, url
        self._where, self._host, self._child, self._pid = where, host, child, pid
        address = find(name).address(url)
        self.place = address.host, address.port
        self.cores = where.cores
        self.machine = FarMachine(where.name, lambda: host, self._delays)

    @property
    def pid(self) -> int:
        """The main process, on its machine; DatabaseError when it has ended."""
        if not self.running():
            raise DatabaseError(f"{self.name} on {self._where.name} has ended")
        return self._pid

    def running(self) -> bool:
        """Return whether it runs, and its machine is connected."""
        return self._child.running()

    def leave(self) -> None:
        """End it."""
        self._child.end()

    def _delays(self) -> Figures:
        return self._where.delays(self._host, trips_from(None), self.place)
