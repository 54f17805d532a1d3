"""The load generator on another machine: what must be there, and how it finds the server."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from race import load as generators
from race.errors import CellFailed, RaceError
from race.machine.describe import number
from race.machine.proc import Clocks, CoreReading
from race.machine.remote.host import Host
from race.saved.head import OtherMachine
from race.saved.model import GENERATOR, Figures
from race.web.scenario import SiteScenario
from runtime.paths import ROOT

DIALS = 5
PINGS = 10
FRESH_SECONDS = 5.0
"""The time for which delays that were taken are good: they take twenty round trips."""


class GeneratorHost:
    """The machine of the load generator, with its programs and the files that they read.

    RaceError if it cannot be used. A connection that was lost is made again when it is next needed.
    """

    def __init__(self, scenario: SiteScenario) -> None:
        self._scenario = scenario
        self._given = scenario.hosts.generator or ""
        self._delays: dict[str, tuple[Figures, float]] = {}
        self._connect()

    @property
    def name(self) -> str:
        """The name of the machine, as ssh takes it."""
        return self._host.name

    @property
    def cores(self) -> frozenset[int]:
        """The cores of a generator: as many as it has threads, the last ones, as the first core
        serves most interrupts.
        """
        load = self._scenario.load
        threads = 1 if self._scenario.open_loop else load.threads
        found: list[int] = self._host.facts["cores"]
        return frozenset(found[-threads:])

    def connected(self) -> Host:
        """Return the connection. CellFailed if it was lost and cannot be made again."""
        if not self._host.alive():
            self._host.close()
            try:
                self._connect()
            except RaceError as error:
                raise CellFailed(str(error)) from None
        return self._host

    def described(self) -> OtherMachine:
        """Return what a report says of the machine. CellFailed if it was lost."""
        facts, clocks = self._host.facts, self._host.clocks(PINGS)
        return OtherMachine(
            name=self.name,
            address=self.address,
            cpu=facts["cpu"],
            cores=len(facts["cores"]),
            pinned=sorted(self.cores),
            kernel=facts["kernel"],
            memory_bytes=facts["memory_bytes"],
            python=facts["python"],
            versions={name: self._version(name, path) for name, path in self.programs.items()},
            clock_offset_us=clocks.offset_ns / 1e3,
            clock_uncertainty_us=clocks.unsure_ns / 1e3,
        )

    def delays(self, url: str) -> Figures:
        """Return the delays to the server at a URL, as `Machine.network` does."""
        now = time.monotonic()
        known, taken = self._delays.get(url, ({}, 0.0))
        if known and now < taken + FRESH_SECONDS:
            return known
        connection, server = self.connected(), urlsplit(url)
        dials = connection.ask("dial", server.hostname, server.port, DIALS)
        clocks = connection.clocks(PINGS)
        found: Figures = {
            "round_trip": min(dials) / 1e3,
            "clock_offset": clocks.offset_ns / 1e3,
            "clock_uncertainty": clocks.unsure_ns / 1e3,
        }
        self._delays[url] = found, now
        return found

    def close(self) -> None:
        """End the connection, and with it all that runs there."""
        self._host.close()

    def _connect(self) -> None:
        """Connect, and set the machine up. RaceError if it cannot be used."""
        self._host = Host(self._given)
        try:
            self._set_up()
        except CellFailed as failure:
            self.close()
            raise RaceError(str(failure)) from None
        except BaseException:
            self.close()
            raise

    def _set_up(self) -> None:
        self.address = self._scenario.hosts.address or self._ours()
        _bindable(self.address, self.name)
        self.programs: dict[str, str] = {}
        files: dict[str, str] = {}
        for name in self._scenario.load.generators(self._scenario.open_loop):
            driver = generators.portable(name)
            path = self._host.ask("which", driver.program)
            if path is None:
                raise RaceError(f"{driver.program} is not installed on {self.name}")
            self.programs[name] = path
            files |= files_of(ROOT, driver.files) if driver.files else {}
        self.root: str = self._host.ask("put", files)

    def _ours(self) -> str:
        """Return the address of this machine as the other one sees it."""
        connection: Sequence[str] = self._host.facts["connection"]
        if not connection:
            raise RaceError(f"{self.name} does not say our address: give --set hosts.address=IP")
        return connection[0]

    def _version(self, name: str, path: str) -> str | None:
        program = path.rpartition("/")[2]
        words = generators.find(name).version
        here = [path if word.rpartition("/")[2] == program else word for word in words]
        try:
            return number(self._host.ask("output", here))
        except CellFailed:
            return None


@dataclass(frozen=True)
class GeneratorMachine:
    """The generator's machine as `race.discipline.Machine`, beside the server at a URL."""

    host: GeneratorHost
    url: str

    @property
    def name(self) -> str:
        return self.host.name

    def read_cores(self, cores: Iterable[int]) -> CoreReading:
        connection = self.host.connected()
        wanted = sorted(cores) or connection.facts["cores"]
        return connection.asked(CoreReading, "read_cores", wanted)

    def clocks(self) -> Clocks | None:
        form: Any = Clocks | None
        found: Clocks | None = self.host.connected().asked(form, "clocks")
        return found

    def traffic(self) -> Sequence[int]:
        found: Sequence[int] = self.host.connected().ask("traffic")
        return found

    def network(self) -> Figures:
        return self.host.delays(self.url)


def machines(scenario: SiteScenario) -> dict[str, OtherMachine]:
    """Return the machines of parties that run on other ones. RaceError if one cannot be used."""
    if scenario.hosts.generator is None:
        return {}
    with closing(GeneratorHost(scenario)) as host:
        try:
            return {GENERATOR: host.described()}
        except CellFailed as failure:
            raise RaceError(str(failure)) from None


def files_of(root: Path, folder: str) -> Mapping[str, str]:
    """Return the texts of a folder of a tree, by their paths in the tree."""
    found = sorted(path for path in (root / folder).rglob("*") if path.is_file())
    return {str(path.relative_to(root)): path.read_text() for path in found}


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
