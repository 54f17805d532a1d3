"""The load generator on another machine: what must be there, and how it finds the server."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

from race import load as generators
from race.errors import CellFailed, RaceError
from race.machine.describe import number
from race.saved.model import GENERATOR
from race.web.hosts.party import FarMachine, PartyHost, files_of, trips_from
from runtime.paths import ROOT


class GeneratorHost(PartyHost):
    """The machine of the load generator, with its programs and the files that they read."""

    party = GENERATOR

    @property
    def cores(self) -> frozenset[int]:
        """The cores of a generator: as many as it has threads, the last ones, as the first core
        serves most interrupts.
        """
        load = self.scenario.load
        threads = 1 if self.scenario.open_loop else load.threads
        found: list[int] = self.host.facts["cores"]
        return frozenset(found[-threads:])

    def machine(self, url: str) -> FarMachine:
        """Return the machine for the meters, beside the server at a URL."""
        server = urlsplit(url)
        place = server.hostname or "", server.port or 0

        def delays() -> dict[str, float]:
            connection = self.connected()
            return self.delays(connection, trips_from(connection), place)

        return FarMachine(self.name, self.connected, delays)

    def set_up(self) -> None:
        self.address = self.our_address()
        _bindable(self.address, self.name)
        self.programs: dict[str, str] = {}
        files: dict[str, str] = {}
        for name in self.scenario.load.generators(self.scenario.open_loop):
            driver = generators.portable(name)
            path = self.host.ask("which", driver.program)
            if path is None:
                raise RaceError(f"{driver.program} is not installed on {self.name}")
            self.programs[name] = path
            files |= files_of(ROOT, driver.files) if driver.files else {}
        self.root: str = self.host.ask("put", files)
        self.versions = {name: self._version(name, path) for name, path in self.programs.items()}

    def _version(self, name: str, path: str) -> str | None:
        program = path.rpartition("/")[2]
        words = generators.find(name).version
        here = [path if word.rpartition("/")[2] == program else word for word in words]
        try:
            return number(self.host.ask("output", here))
        except CellFailed:
            return None


def _bindable(address: str, name: str) -> None:
    """RaceError if an address is none of this machine's."""
    try:
        kind = socket.getaddrinfo(address, 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(*kind[:2]) as one:
            one.bind(kind[4])
    except OSError:
        raise RaceError(
            f"{name} sees this machine at {address}, which is not an address of it: give one where "
            f"{name} reaches it, as in --set hosts.address=192.0.2.1"
        ) from None
