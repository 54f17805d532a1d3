"""Parties of a race of the site on other machines."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack, closing

from race.errors import CellFailed, RaceError
from race.saved.head import OtherMachine
from race.web.hosts.away import DatabaseStarter, NearDatabases
from race.web.hosts.checkout import ServerHost
from race.web.hosts.database import DatabaseHost
from race.web.hosts.generator import GeneratorHost
from race.web.hosts.party import Dial, PartyHost, dial_here
from race.web.scenario import SiteScenario

HERE = "this machine"


class Elsewhere:
    """The machines of a scenario's parties that run on other ones, until `close`.

    `databases` are the names of those that the race uses. RaceError if a machine cannot be used.
    """

    def __init__(self, scenario: SiteScenario, databases: Iterable[str]) -> None:
        self.generator: GeneratorHost | None = None
        self.server: ServerHost | None = None
        self.database: DatabaseHost | None = None
        hosts, names = scenario.hosts, list(databases)
        with ExitStack() as stack:
            if hosts.generator:
                self.generator = stack.enter_context(closing(GeneratorHost(scenario)))
            if hosts.server:
                ends = _ends(self.generator)
                self.server = stack.enter_context(closing(ServerHost(scenario, *ends)))
                if names and not hosts.database:
                    self.server.databases_at = self.server.our_address()
            if hosts.database and names:
                asks = _ends(self.server)
                one = DatabaseHost(scenario, names, *asks)
                self.database = stack.enter_context(closing(one))
            self._stack = stack.pop_all()

    @property
    def address(self) -> str | None:
        """The address at which a server listens; None for 127.0.0.1."""
        found = self.server or self.generator
        return found.address if found else None

    @property
    def away(self) -> DatabaseStarter | None:
        """The starter of the databases that other machines reach, or None."""
        if self.server is None or self.server.databases_at is None:
            return self.database
        return NearDatabases(self.server.databases_at, *_ends(self.server))

    def hosts(self) -> list[PartyHost]:
        """Return the machine of each party that has one."""
        found = (self.server, self.generator, self.database)
        return [one for one in found if one is not None]

    def close(self) -> None:
        """End all connections, and with them all that runs there."""
        self._stack.close()


def machines(scenario: SiteScenario, databases: Iterable[str]) -> dict[str, OtherMachine]:
    """Return the machines of parties that run on other ones. RaceError if one cannot be used."""
    with closing(Elsewhere(scenario, databases)) as found:
        try:
            return {one.party: one.described() for one in found.hosts()}
        except CellFailed as failure:
            raise RaceError(str(failure)) from None


def _ends(host: GeneratorHost | ServerHost | None) -> tuple[Dial, str]:
    """Return what connects from a party's machine, and the name of that machine."""
    return (host.dial, host.name) if host else (dial_here, HERE)
