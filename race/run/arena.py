"""What all cells of a race share: cores, databases, generators, limits, and what was learned."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from race.machine.cores import Cores
from race.plan.order import Work
from race.plan.scenario import Scenario
from race.saved.model import Cell
from race.web.databases import Databases
from race.web.load import Generator, generator


@dataclass
class Arena:
    """The setting of a race.

    By label, `connections` remembers where more of them were needed, and `requests` how many each
    page sends to the contender's database.
    """

    scenario: Scenario
    cores: Cores
    databases: Databases
    connections: dict[tuple[str, Work], int] = field(default_factory=dict)
    requests: dict[str, dict[str, float]] = field(default_factory=dict)
    faults: set[tuple[str, Work]] = field(default_factory=set)
    _generators: dict[str, Generator] = field(default_factory=dict)

    def remember(self, cells: Iterable[Cell]) -> None:
        """Go on with as many connections as an interrupted race had found to be needed."""
        for cell in cells:
            if cell.connections_used is not None and cell.load.rate is None:
                key = (cell.label, Work(cell.page, cell.load))
                self.connections.setdefault(key, cell.connections_used)

    def generator(self, name: str) -> Generator:
        """The load generator of that name, made once."""
        if name not in self._generators:
            self._generators[name] = generator(name)
        return self._generators[name]
