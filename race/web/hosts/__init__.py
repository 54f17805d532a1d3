"""Parties of a race of the site on other machines."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack, closing

from race.errors import CellFailed, RaceError
from race.saved.head import OtherMachine
from race.web.hosts.database import DatabaseHost
from race.web.hosts.generator import GeneratorHost
from race.web.hosts.party import PartyHost
from race.web.scenario import SiteScenario


class Elsewhere:
    """The machines of a scenario's parties that run on other ones, until `close`.

    `databases` are the names of those that the race uses. RaceError if a machine cannot be used.
    """

    def __init__(self, scenario: SiteScenario, databases: Iterable[str]) -> None:
        self._stack = ExitStack()
        self.generator: GeneratorHost | None = None
        self.database: DatabaseHost | None = None
        with ExitStack() as stack:
            if scenario.hosts.generator:
                self.generator = stack.enter_context(closing(GeneratorHost(scenario)))
            names = list(databases)
            if scenario.hosts.database and names:
                self.database = stack.enter_context(closing(DatabaseHost(scenario, names)))
            self._stack = stack.pop_all()

    def hosts(self) -> list[PartyHost]:
        """Return the machine of each party that has one."""
        return [one for one in (self.generator, self.database) if one is not None]

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
