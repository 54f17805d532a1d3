"""What all cells of a race share: cores, databases, generators, limits, and what was learned."""

from __future__ import annotations

from dataclasses import dataclass, field

from race.cores import Cores
from race.databases import Databases
from race.load import Generator, generator
from race.plan import Work
from race.scenario import Scenario


@dataclass
class Arena:
    """The setting of a race. `connections` remembers where more of them were needed, by label."""

    scenario: Scenario
    cores: Cores
    databases: Databases
    connections: dict[tuple[str, Work], int] = field(default_factory=dict)
    faults: set[tuple[str, Work]] = field(default_factory=set)
    _generators: dict[str, Generator] = field(default_factory=dict)

    def generator(self, name: str) -> Generator:
        """The load generator of that name, made once."""
        if name not in self._generators:
            self._generators[name] = generator(name)
        return self._generators[name]
