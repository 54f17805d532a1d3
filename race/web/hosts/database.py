"""The databases of a race on another machine, started there from files that travel to it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import msgspec

from race.errors import RaceError
from race.machine.describe import number
from race.machine.process import last_line
from race.web.hosts.away import PROGRAM, AwayDatabase
from race.web.hosts.party import Dial, FarMachine, PartyHost, files_of
from race.web.scenario import DATABASE, SiteScenario
from runtime.paths import ROOT

FOLDERS = ("databases", "runtime", "tarantool")


class DatabaseHost(PartyHost):
    """The machine of the databases: a Python, and the programs of those that the race uses.

    What a database kept is lost with the connection. `dial` connects from the server's
    machine, whose name is `who`.
    """

    party = DATABASE
    address: str

    def __init__(self, scenario: SiteScenario, names: Iterable[str], dial: Dial, who: str) -> None:
        self._names = sorted(set(names))
        self._dial, self._who = dial, who
        super().__init__(scenario)

    def set_up(self) -> None:
        self.address = self.their_address()
        self.host.ask("put", files_of(ROOT, *FOLDERS))
        self.versions = {name: self._version(name) for name in self._names}

    def start(self, name: str) -> AwayDatabase:
        host = self.connected()
        words = [host.python, "-m", PROGRAM, name, self.address, "data"]
        found = AwayDatabase(name, self.name, host.start(words, self.cores))
        found.reached(self._dial, self._who)
        found.cores = self.cores
        delays = partial(self.delays, host, self._dial, found.address)
        found.machine = FarMachine(self.name, lambda: host, delays)
        return found

    def _version(self, name: str) -> str | None:
        found = self.host.output([self.host.python, "-m", PROGRAM, name])
        try:
            said: dict[str, Any] = msgspec.json.decode(found.text)
        except msgspec.DecodeError:
            raise RaceError(
                f"{self.host.python} on {self.name} does not run {PROGRAM} "
                f"({last_line(found.said) or 'without a word'})"
            ) from None
        if said["missing"]:
            lacking = said["missing"].partition(":")[0]
            raise RaceError(f"{self.name} has {lacking}: docs/hosts.md says what it needs")
        return number(said["version"] or "")
