"""A contender of the site: one server, the generators that drive it, the database that it asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from databases import find
from race.discipline import Party, Sample
from race.machine import cores
from race.machine.cores import WORKERS, Layout
from race.machine.proc import tree
from race.plan.contenders import TWIN_MARK
from race.saved.model import Contender, Figures, Work
from race.web import link, requests, walks
from race.web.databases import Databases
from race.web.link import LINK, Link
from race.web.load.drive import drive
from race.web.load.generator import Beside, Target
from race.web.servers import Launcher, Server
from race.web.votes import Ballots

SERVER, GENERATOR, DATABASE = PARTIES = ("server", "generator", "database")


@dataclass
class Shared:
    """What the contenders of a race share, and what was counted of them."""

    launcher: Launcher
    databases: Databases
    names: Mapping[str, str | None]
    requests: dict[str, dict[str, Figures]] = field(default_factory=dict)
    weights: dict[tuple[str, str], Figures] = field(default_factory=dict)

    def start(self, contender: Contender) -> Site:
        """A contender's server, on its own cores; CellFailed when it does not start."""
        layout = cores.assign(PARTIES, int(contender.factors.get(WORKERS, "1")))
        self.databases.pin(layout[DATABASE])
        name = self.names.get(contender.name)
        laid = self._laid(contender, name, layout)
        try:
            server = self.launcher.start(contender, layout[SERVER], laid.env if laid else None)
        except BaseException:
            if laid:
                laid.end()
            raise
        return Site(self, contender, server, layout, Ballots(self.databases, name), laid)

    def _laid(self, contender: Contender, name: str | None, layout: Layout) -> Link | None:
        """A link to its database, on the database's cores; None where it adds nothing."""
        more, where = link.milliseconds(contender), self.databases.url(name) if name else None
        if not more or name is None or where is None:
            return None
        return link.laid(find(name), where, more, layout[DATABASE])


@dataclass
class Site:
    """`discipline.Subject`: one server, its generator, its database and what is between them."""

    shared: Shared
    contender: Contender
    server: Server
    layout: Layout
    ballots: Ballots
    link: Link | None = None
    _driven: bool = False

    def parties(self) -> Mapping[str, Party]:
        """The generator has no process between two loads, a database elsewhere none to see."""
        found = {
            SERVER: Party(self.server.child.pid, self.layout[SERVER]),
            GENERATOR: Party(None, self.layout[GENERATOR]),
        }
        name = self.ballots.name
        if name is not None:
            found[DATABASE] = Party(self.shared.databases.pid(name), self.layout[DATABASE])
        if self.link is not None:
            found[LINK] = Party(self.link.child.pid, self.layout[DATABASE])
        return found

    def alive(self) -> bool:
        """Whether the server runs, and its link."""
        linked = self.link is None or self.link.child.running()
        return linked and self.server.child.running()

    def wake(self) -> None:
        """The server and what it asks onto their cores; others may have voted meanwhile."""
        self.shared.databases.pin(self.layout[DATABASE])
        cores.pin_tree(tree(self.server.child.pid), self.layout[SERVER])
        self.ballots.lose_count()

    def rest(self) -> None:
        """The server off the measured cores."""
        cores.pin_tree(tree(self.server.child.pid), cores.resting(self.layout))

    def check(self, task: str) -> None:
        """The page is right, and after a load so are the votes."""
        walks.verify(self.server.url, task, patient=self._driven)
        self._driven = False
        self.ballots.check(task)

    def drive(self, work: Work) -> Sample:
        """One run of a generator."""
        self._driven = True
        target = Target(self.server.url, work.task, walks.path_of(work.task), self._beside())
        try:
            seen = drive(target, work.load, self.server.child, self.layout[GENERATOR])
        except BaseException:
            self.ballots.lose_count()
            raise
        if seen.cast is not None:
            self.ballots.note(seen.cast)
        return seen.sample

    def facts(self, task: str) -> Figures:
        """Requests to the database, bytes and headers of the answer; counted once for each
        contender and its twin.
        """
        known, weights = self.shared.requests, self.shared.weights
        label = self.contender.label.removesuffix(TWIN_MARK)
        if label not in known:
            known[label] = self._count(self.shared.launcher.scenario.tasks)
        if (label, task) not in weights:
            weights[label, task] = walks.weigh(self.server.url, task)
        return {**walks.mean(task, known[label]), **weights[label, task]}

    def _beside(self) -> Beside:
        """Who may be looked at during a load."""
        name, databases = self.ballots.name, self.shared.databases
        url = databases.url(name) if name else None
        if name is None or url is None:
            return Beside(self.server.child.pid)
        where = self.link.where if self.link else find(name).address(url)
        return Beside(self.server.child.pid, databases.pid(name), where)

    def _count(self, tasks: Sequence[str]) -> dict[str, Figures]:
        """By page, on a server of its own, whose wire is tapped."""

        def start(env: Mapping[str, str]) -> Server:
            return self.shared.launcher.start(self.contender, self.layout[SERVER], env)

        pages = dict.fromkeys(page for task in tasks for page in walks.pages_of(task))
        return requests.per_page(self.shared.databases, self.ballots.name, start, pages)

    def close(self) -> None:
        """SIGTERM, and harder where that is not enough."""
        try:
            self.server.child.end()
        finally:
            if self.link is not None:
                self.link.end()
