"""The load generator on another machine: what must be there, and how it finds the server."""

from __future__ import annotations

from urllib.parse import urlsplit

from race import load as generators
from race.errors import CellFailed, RaceError
from race.machine.describe import number
from race.saved.model import GENERATOR, Figures
from race.web.hosts.party import FarMachine, PartyHost, files_of
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
        address = server.hostname or "", server.port or 0

        def delays() -> Figures:
            return self.delays(self.connected(), self.dial, address)

        return FarMachine(self.name, self.connected, delays)

    def set_up(self) -> None:
        far = self.scenario.hosts.server
        self.address = None if far else self.our_address()
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
            return number(self.host.output(here).said)
        except CellFailed:
            return None
