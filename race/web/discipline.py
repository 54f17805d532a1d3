"""The first discipline: engines of the sticker site, raced over HTTP."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from databases import DATABASES, find
from race.discipline import Choice, Finding, Start, Task
from race.errors import RaceError
from race.machine.cores import WORKERS
from race.machine.describe import number, output
from race.saved.model import Contender
from race.web import engines, findings, user_loads
from race.web import load as generators
from race.web.databases import held
from race.web.engines import CONTENDER
from race.web.levels import LEVELS
from race.web.link import LINK
from race.web.load import GENERATORS
from race.web.scenario import SiteScenario
from race.web.servers import Launcher
from race.web.subject import PARTIES, Shared
from race.web.walks import TASKS


class Web:
    """`discipline.Discipline` for the site."""

    unit = "requests"
    contender = CONTENDER
    task = "page"
    parties = PARTIES
    scenario = SiteScenario
    headline = "good"
    level_texts = LEVELS

    @property
    def factors(self) -> Mapping[str, Sequence[str]]:
        """server.py's own, and what a race varies on top of them."""
        return {**engines.catalogue().factors, WORKERS: (), LINK: ()}

    @property
    def tasks(self) -> Mapping[str, Task]:
        """The pages, and walks over several of them."""
        return TASKS

    def choose(self, scenario: SiteScenario) -> Choice:
        """See ``Discipline.choose``; a generator that is missing is said, not raced without."""
        load = scenario.load
        drivers = [load.generator]
        if scenario.open_loop:
            drivers.append(load.open_generator)
        for name in drivers:
            if missing := generators.find(name).missing():
                raise RaceError(missing)
        return engines.choose(user_loads.settled(scenario))

    @contextmanager
    def open(self, scenario: SiteScenario, contenders: Sequence[Contender]) -> Iterator[Start]:
        """Hold the databases of the contenders."""
        names = engines.databases(scenario, contenders)
        with held(name for name in names.values() if name) as databases:
            yield Shared(Launcher(scenario), databases, names).start

    def versions(self) -> Mapping[str, str | None]:
        """Of generators and databases."""
        loads = {name: generators.find(name) for name in GENERATORS}
        found = {
            name: None if one.missing() else number(output(list(one.version), any_exit=True))
            for name, one in loads.items()
        }
        return {**found, **{name: find(name).version() for name in DATABASES}}

    def findings(self) -> Sequence[Finding]:
        """See ``Discipline.findings``."""
        return findings.findings(self.versions())
