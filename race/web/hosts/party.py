"""A party of a race that runs on another machine: the connection, its cores, its meters."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from race.errors import CellFailed, RaceError
from race.machine import cores
from race.machine.proc import Clocks, CoreReading
from race.machine.remote.host import Host
from race.machine.remote.reach import dial
from race.saved.head import OtherMachine
from race.saved.model import Figures
from race.web.scenario import SiteScenario

DIALS = 5
PINGS = 10
FRESH_SECONDS = 5.0
"""Delays are measured again after this time, because that takes twenty round trips."""


class PartyHost:
    """The machine of the party `party`, which a subclass sets up.

    RaceError if it cannot be used. A connection that was lost is made again when it is next needed.
    """

    party: str
    versions: Mapping[str, str | None]
    """The versions of the programs that are used there, which the set-up may find."""
    address: str | None
    """The IP address on which the party listens; a generator has that of a server here, or None."""
    databases_at: str | None = None
    """The address of this machine at which a server elsewhere reaches databases here, or None."""

    def __init__(self, scenario: SiteScenario) -> None:
        self.scenario = scenario
        self.versions = {}
        self._delays: dict[object, tuple[Figures, float]] = {}
        self._connect()

    @property
    def name(self) -> str:
        """The name of the machine, as ssh takes it."""
        return self.host.name

    def connect(self) -> Host:
        """Return a new connection. RaceError if there is none."""
        return Host(self.scenario.hosts.given[self.party])

    @property
    def cores(self) -> frozenset[int]:
        """The cores of the party, which it would have here."""
        there: list[int] = self.host.facts["cores"]
        return cores.assign([self.party], 1, there, self.scenario.cores)[self.party]

    def connected(self) -> Host:
        """Return the connection. CellFailed if it was lost and cannot be made again."""
        if not self.host.alive():
            self.host.close()
            try:
                self._connect()
            except RaceError as error:
                raise CellFailed(str(error)) from None
        return self.host

    def described(self) -> OtherMachine:
        """Return what a report says of the machine. CellFailed if it was lost."""
        facts, clocks = self.host.facts, self.host.clocks(PINGS)
        return OtherMachine(
            name=self.name,
            address=self.address,
            cpu=facts["cpu"],
            cores=len(facts["cores"]),
            pinned=sorted(self.cores),
            kernel=facts["kernel"],
            memory_bytes=facts["memory_bytes"],
            python=facts["python"],
            versions=dict(self.versions),
            clock_offset_us=clocks.offset_ns / 1e3,
            clock_uncertainty_us=clocks.unsure_ns / 1e3,
            databases_at=self.databases_at,
        )

    def delays(self, connection: Host, dial: Dial | None, address: tuple[str, int]) -> Figures:
        """Return the delays of the connection, and of TCP connections to an address
        (`Machine.network`).
        """
        now = time.monotonic()
        known, taken = self._delays.get(address, ({}, 0.0))
        if known and now < taken + FRESH_SECONDS:
            return known
        found: Figures = {"round_trip": min(dial(*address, DIALS)) / 1e3} if dial else {}
        clocks = connection.clocks(PINGS)
        found["clock_offset"] = clocks.offset_ns / 1e3
        found["clock_uncertainty"] = clocks.unsure_ns / 1e3
        self._delays[address] = found, now
        return found

    def dial(self, host: str, port: int, times: int) -> Sequence[int]:
        """Return the nanoseconds of some TCP connections from there. CellFailed if one fails."""
        found: Sequence[int] = self.connected().ask("dial", host, port, times)
        return found

    def close(self) -> None:
        """End the connection, and with it all that runs there."""
        self.host.close()

    def set_up(self) -> None:
        """Prepare the machine. RaceError or CellFailed if it cannot be used."""
        raise NotImplementedError

    def their_address(self) -> str:
        """Return the address of the machine at which its sshd was reached."""
        return self._end(2)

    def our_address(self) -> str:
        """Return the address of this machine as the other one sees it. RaceError if it is none."""
        address = self.scenario.hosts.address or self._end(0)
        _bindable(address, self.name)
        return address

    def address_here(self) -> str | None:
        """Return the address of this machine as the other one sees it, or None if it is none."""
        try:
            return self.our_address()
        except RaceError:
            return None

    def _end(self, place: int) -> str:
        connection: Sequence[str] = self.host.facts["connection"]
        if not connection:
            raise RaceError(f"{self.name} does not say its addresses: its sshd must be OpenSSH's")
        return connection[place]

    def _connect(self) -> None:
        """Connect, and set the machine up. RaceError if it cannot be used."""
        self.host = self.connect()
        try:
            self.set_up()
        except CellFailed as failure:
            self.close()
            raise RaceError(str(failure)) from None
        except BaseException:
            self.close()
            raise


Dial = Callable[[str, int, int], Sequence[int]]
"""Returns the nanoseconds of some TCP connections to a host and port."""


def dial_here(host: str, port: int, times: int) -> Sequence[int]:
    """Return the nanoseconds of some TCP connections from this machine. CellFailed if one fails."""
    try:
        return dial(host, port, times)
    except OSError as error:
        raise CellFailed(str(error)) from None


@dataclass(frozen=True)
class FarMachine:
    """A party's machine as `race.discipline.Machine`."""

    name: str
    connect: Callable[[], Host] = field(compare=False)
    delays: Callable[[], Figures] = field(compare=False)

    def read_cores(self, cores: Iterable[int]) -> CoreReading:
        connection = self.connect()
        wanted = sorted(cores) or connection.facts["cores"]
        return connection.asked(CoreReading, "read_cores", wanted)

    def read_tree(self, what: str, pid: int | None) -> Any:
        return self.connect().ask("read_tree", what, pid)

    def clocks(self) -> Clocks | None:
        form: Any = Clocks | None
        found: Clocks | None = self.connect().asked(form, "clocks")
        return found

    def traffic(self) -> Sequence[int]:
        found: Sequence[int] = self.connect().ask("traffic")
        return found

    def network(self) -> Figures:
        return self.delays()


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


def files_of(root: Path, *folders: str) -> Mapping[str, str]:
    """Return the texts of folders of a tree, by their paths in the tree."""
    found = sorted(path for one in folders for path in (root / one).rglob("*") if path.is_file())
    texts = (path for path in found if path.suffix != ".pyc")
    return {str(path.relative_to(root)): path.read_text() for path in texts}
