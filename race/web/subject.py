"""A contender of the site: one server, the generators that drive it, and its database."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from data_interface import BACKENDS
from databases import find
from race.discipline import Party, Sample
from race.load.drive import drive
from race.load.generator import Target, WatchedProcesses
from race.machine import cores
from race.machine.cores import WORKERS, Layout
from race.machine.describe import PYTHON
from race.machine.lock import LockFolder
from race.machine.proc import tree
from race.machine.process import Child
from race.machine.remote.host import RemoteChild
from race.machine.sockets import counted
from race.machine.trees import pin_tree
from race.plan.contenders import TWIN_MARK
from race.saved.model import Contender, Figures, Work
from race.web import link, requests, tasks
from race.web.changes import SCRIPTS, ChangeCheck
from race.web.databases import Databases, has_server
from race.web.hosts.generator import GeneratorHost
from race.web.hosts.party import FarMachine
from race.web.link import DISTANCE, LINK, Distance, Link
from race.web.scenario import DATABASE, GENERATOR, PARTIES, SERVER
from race.web.servers import Launcher, Server
from runtime.versions import is_free_threaded


@dataclass
class SharedState:
    """The state that contenders share: databases by engine, and what is counted only once."""

    launcher: Launcher
    databases: Databases
    names: Mapping[str, str | None]
    generator: GeneratorHost | None = None
    requests: dict[str, dict[str, Figures]] = field(default_factory=dict)
    weights: dict[tuple[str, str], Figures] = field(default_factory=dict)

    def start(self, contender: Contender) -> SiteSubject:
        """Start a contender's server on its own cores. CellFailed if it does not start."""
        layout = self._layout(int(contender.factors.get(WORKERS, "1")))
        name = self.names.get(contender.name)
        self.databases.renew(name)
        self.databases.pin(layout[DATABASE])
        free = is_free_threaded(contender.factors.get(PYTHON, ""))
        with ExitStack() as failed:
            lock = LockFolder() if free and self.launcher.host is None else None
            if lock:
                failed.callback(lock.close)
            between = self._start_link(contender, name, layout)
            if between:
                failed.callback(between.child.end)
            env = {**self.databases.env(name), **(between.env if between else {})}
            env |= lock.env if lock else {}
            server = self.launcher.start(contender, layout[SERVER], env)
            failed.callback(server.child.end)
            more = link.milliseconds(contender, DISTANCE)
            far = link.away(server.url, more, layout[GENERATOR]) if more else None
            failed.pop_all()
        backend = BACKENDS.get(contender.factors.get("backend", ""))
        changes = ChangeCheck(self.databases, name, backend.layout if backend else "")
        url = self.databases.url(name) if name else None
        host = self.launcher.host
        there = host.machine(server.url, host.host) if host else None
        return SiteSubject(self, contender, server, layout, changes, between, far, lock, url, there)

    def _layout(self, workers: int) -> Layout:
        """Return the cores of each party on its machine; of databases, on this one."""
        scenario, far = self.launcher.scenario, self.launcher.host
        here = [name for name in PARTIES if name not in scenario.hosts.given]
        found = cores.assign(here, 1 if far else workers, sharing=scenario.cores)
        found.setdefault(DATABASE, frozenset())
        if self.generator is not None:
            found[GENERATOR] = self.generator.cores
        if far is not None:
            found[SERVER] = far.cores_of(workers)
        return found

    def _start_link(self, contender: Contender, name: str | None, layout: Layout) -> Link | None:
        """Start a link to the database, on its cores; None if it adds nothing."""
        more, url = link.milliseconds(contender, LINK), self.databases.url(name) if name else None
        if not more or not has_server(name) or url is None:
            return None
        return link.start(find(name), url, more, layout[DATABASE])


@dataclass
class SiteSubject:
    """A contender as `discipline.Subject` asks for it: a server, its generator and its database."""

    shared: SharedState
    contender: Contender
    server: Server
    layout: Layout
    changes: ChangeCheck
    link: Link | None = None
    distance: Distance | None = None
    lock: LockFolder | None = None
    database_url: str | None = None
    machine: FarMachine | None = None
    _driven: bool = False

    def parties(self) -> Mapping[str, Party]:
        """Return the processes to meter: a generator has none between two loads, and a database
        elsewhere none at all.
        """
        found = {
            SERVER: Party(self.server.child.pid, self.layout[SERVER], self.machine),
            GENERATOR: Party(None, self.layout[GENERATOR], self._generators()),
        }
        name = self.changes.name
        if has_server(name):
            found[DATABASE] = self.shared.databases.party(name, self.layout[DATABASE])
        if self.link is not None:
            found[LINK] = Party(self.link.child.pid, self.layout[DATABASE])
        if self.distance is not None:
            found[DISTANCE] = Party(self.distance.child.pid, self.layout[GENERATOR])
        return found

    def alive(self) -> bool:
        """Return whether the server and its links run, and its database is where it was."""
        lost = self.shared.databases.lost(self.changes.name, self.database_url)
        return not lost and all(child.running() for child in self._children())

    def resume(self) -> None:
        """Pin server and database to their cores; others may have changed it meanwhile."""
        self.shared.databases.pin(self.layout[DATABASE])
        self._pin(self.layout[SERVER], True)
        self.changes.lose_count()

    def pause(self) -> None:
        """Move the server off the measured cores."""
        here = {name: one.cores for name, one in self.parties().items() if one.machine is None}
        self._pin(cores.resting(here), False)

    def _pin(self, pinned: frozenset[int], active: bool) -> None:
        """Pin the server; one on another machine has cores there in place of `pinned`."""
        far, child = self.shared.launcher.host, self.server.child
        if far is None:
            pin_tree(tree(child.pid), pinned)
        elif child.running():
            far.pin(child.pid, self.layout[SERVER], active)

    def check(self, task: str) -> None:
        """Check that the page is right, and after a load that its changes are."""
        tasks.verify(self.server.url, task, retry=self._driven)
        self._driven = False
        self.changes.check(task)

    def drive(self, work: Work) -> Sample:
        """Run a load generator once."""
        self._driven = True
        try:
            host = self.shared.generator.connected() if self.shared.generator else None
            cores, target = self.layout[GENERATOR], self._target(work)
            with self._counted(work.load.duration_s / 2) as connections:
                result = drive(target, work.load, self.server.child, cores, host)
        except BaseException:
            self.changes.lose_count()
            raise
        if result.changes is not None:
            self.changes.note(work.task, result.changes)
        found = replace(result.sample, process_connections=connections)
        if self.lock is None:
            return found
        pids = tree(self.server.child.pid)
        return replace(found, problems=self.lock.problems(pids, self._workers, time.time()))

    @property
    def _workers(self) -> int:
        return int(self.contender.factors.get(WORKERS, "1"))

    def _counted(self, seconds: float) -> AbstractContextManager[list[int]]:
        """Count the connections of each worker, if there are several, after so many seconds."""
        if self._workers == 1 or self.machine:
            return nullcontext([])
        port = urlsplit(self.server.url).port or 0
        return counted(self.server.child.pid, port, seconds)

    def _target(self, work: Work) -> Target:
        """Return the target of a load, as a generator on its own machine sees it."""
        url, task, far = self.server.url, work.task, self.shared.generator
        cookie = tasks.cookie_of(url, task)
        path, script = tasks.path_of(task), SCRIPTS.get(task, "")
        url = self.distance.url if self.distance else url
        target = Target(url, path, script=script, cookie=cookie, watched=self._watched())
        if far is None:
            return target
        return replace(target, root=Path(far.root), program=far.programs[work.load.generator])

    def _generators(self) -> FarMachine | None:
        far = self.shared.generator
        return far.machine(self.server.url) if far else None

    def facts(self, task: str) -> Figures:
        """Return requests to the database, bytes and headers of the answer.

        They are counted once for each contender and its twin.
        """
        known, weights = self.shared.requests, self.shared.weights
        label = self.contender.label.removesuffix(TWIN_MARK)
        if label not in known:
            known[label] = self._count(self.shared.launcher.scenario.tasks)
        if (label, task) not in weights:
            weights[label, task] = tasks.weigh(self.server.url, task)
        return {**tasks.mean(task, known[label]), **weights[label, task]}

    def _watched(self) -> WatchedProcesses:
        name, databases = self.changes.name, self.shared.databases
        url = databases.url(name) if name else None
        if not has_server(name) or url is None:
            return WatchedProcesses(self._pid_here)
        address = self.link.address if self.link else find(name).address(url)
        return WatchedProcesses(self._pid_here, databases.pid(name), address)

    @property
    def _pid_here(self) -> int | None:
        return None if self.machine else self.server.child.pid

    def _count(self, names: Sequence[str]) -> dict[str, Figures]:
        """Count requests by page, on a server of its own through a tapped wire; none where its
        machine cannot reach this one.
        """

        def start(env: Mapping[str, str]) -> Server:
            return self.shared.launcher.start(self.contender, self.layout[SERVER], env)

        pages = dict.fromkeys(page for task in names for page in tasks.pages_of(task))
        host = self.shared.launcher.host
        here = host.address_here() if host else requests.NEAR
        if here is None:
            return {}
        return requests.per_page(self.shared.databases, self.changes.name, start, pages, here)

    def close(self) -> None:
        """End the server and its links."""
        with ExitStack() as stack:
            if self.lock:
                stack.callback(self.lock.close)
            for child in self._children():
                stack.callback(child.end)

    def _children(self) -> list[Child | RemoteChild]:
        links = [one.child for one in (self.link, self.distance) if one is not None]
        return [self.server.child, *links]
