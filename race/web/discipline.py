"""The discipline of the site: its engines, raced over HTTP."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace

from databases import DATABASES, find
from race import load as generators
from race.discipline import Choice, Finding, Start, Task
from race.errors import RaceError
from race.load import GENERATORS
from race.machine.cores import WORKERS
from race.machine.describe import BUILD, number, output
from race.saved.model import Contender
from race.web import engines, findings, hosts, user_loads
from race.web.databases import has_server, held
from race.web.engines import CONTENDER
from race.web.hosts import Elsewhere
from race.web.levels import LEVELS
from race.web.link import DISTANCE, LINK
from race.web.scenario import PARTIES, SiteScenario
from race.web.servers import Launcher
from race.web.subject import SharedState
from race.web.tasks import TASKS


class SiteDiscipline:
    """The engines of the sticker site as `discipline.Discipline` asks for them."""

    unit = "requests"
    contender = CONTENDER
    task = "page"
    parties = PARTIES
    scenario = SiteScenario

    def headline(self, scenario: SiteScenario) -> str:
        """Return Good: it asks the database, and is rendered."""
        return "good"

    def factors(self, scenario: SiteScenario) -> Mapping[str, Sequence[str]]:
        """Return the factors of server.py, and those that a race varies on top of them."""
        return {**engines.catalogue().factors, WORKERS: (), LINK: (), DISTANCE: (), BUILD: ()}

    def tasks(self, scenario: SiteScenario) -> Mapping[str, Task]:
        """Return the pages, and mixes of them."""
        return TASKS

    def level_texts(self, scenario: SiteScenario) -> Mapping[str, Mapping[str, str]]:
        """Return what the levels of engine names mean."""
        return LEVELS

    def choose(self, scenario: SiteScenario) -> Choice:
        """Return what can race here. RaceError if a load generator is missing."""
        for name in scenario.load.generators(scenario.open_loop):
            missing = generators.find(name).missing()
            if missing and not scenario.hosts.generator:
                raise RaceError(missing)
        choice = engines.choose(user_loads.completed(scenario))
        if not scenario.hosts.given:
            return choice
        names = engines.databases(scenario, choice.contenders).values()
        return replace(choice, machines=hosts.machines(scenario, filter(has_server, names)))

    @contextmanager
    def open(self, scenario: SiteScenario, contenders: Sequence[Contender]) -> Iterator[Start]:
        """Hold the databases of the contenders while they race."""
        names = engines.databases(scenario, contenders)
        with ExitStack() as stack:
            servers = filter(has_server, names.values())
            far = stack.enter_context(closing(Elsewhere(scenario, servers)))
            wanted = (name for name in names.values() if name)
            databases = stack.enter_context(held(wanted, far.away))
            launcher = Launcher(scenario, far.address, far.server)
            yield SharedState(launcher, databases, names, far.generator).start

    def versions(self) -> Mapping[str, str | None]:
        """Return the versions of generators and databases."""
        loads = {name: generators.find(name) for name in GENERATORS}
        found = {
            name: None if one.missing() else number(output(list(one.version), any_exit=True))
            for name, one in loads.items()
        }
        return {**found, **{name: find(name).version() for name in DATABASES}}

    def findings(self) -> Sequence[Finding]:
        """Return what `race doctor` says of the site."""
        return findings.findings(self.versions())
