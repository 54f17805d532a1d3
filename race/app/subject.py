"""A server of an application as a contender: started, checked and driven."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

from race.app import answers, requests, server
from race.app.answers import Answer
from race.app.commits import environments
from race.app.commits.checkouts import WORKTREE, Checkout, checked_out, resolved
from race.app.contenders import build, checkout, on_socket, prepare, reset, serve
from race.app.database import state
from race.app.database.state import State
from race.app.place import Place, free_port
from race.app.requests import Drawn
from race.app.scenario import COMMIT, AppScenario
from race.app.server import AppServer, NotServing
from race.discipline import Party, Sample, Start
from race.errors import CellFailed, RaceError
from race.load.drive import drive
from race.load.generator import Target
from race.machine import cores
from race.machine.cores import WORKERS, Layout
from race.machine.proc import tree
from race.machine.trees import pin_tree
from race.saved.model import Contender, Figures, Work

SERVER, GENERATOR, DATABASE = PARTIES = ("server", "generator", "database")


@dataclass
class SharedRequests:
    """What the contenders of a race share: the requests of each task, a folder for files that have
    them, the checkouts that the contenders run in, and the databases.
    """

    scenario: AppScenario
    tasks: Mapping[str, Sequence[Drawn]]
    folder: Path
    checkouts: Mapping[Checkout, Path]
    state: State

    def file(self, task: str) -> Path:
        """Return the file with the requests of a task."""
        path = self.folder / f"{list(self.tasks).index(task)}.requests"
        if not path.exists():
            requests.write(self.tasks[task], path)
        return path

    def start(self, contender: Contender) -> AppSubject:
        """Start a contender. CellFailed if it does not get ready."""
        workers = int(contender.factors.get(WORKERS, "1"))
        parties = PARTIES if self.scenario.database else PARTIES[:2]
        layout = cores.assign(parties, workers, sharing=self.scenario.cores)
        values = self.state.begin(contender)
        pin_database(self.state.pid(contender), layout)
        folder, place = self.place(contender), self._listens(contender)
        if command := reset(self.scenario, contender, values):
            try:
                server.run("reset", self.scenario, command, folder)
            except RaceError as error:
                raise CellFailed(str(error)) from None
        command = serve(self.scenario, contender, {**values, **place.values})
        started = server.start(self.scenario, command, place, folder, layout[SERVER])
        return AppSubject(self, contender, started, layout)

    def _listens(self, contender: Contender) -> Place:
        """Return a place for a contender's server: a free port, or a socket of its own."""
        if not on_socket(self.scenario, contender):
            return free_port()
        return Place(path=f"{mkdtemp(dir=self.folder)}/s")

    def place(self, contender: Contender) -> Path:
        """Return the folder that a contender's commands run in."""
        return self.checkouts.get(checkout(self.scenario, contender), Path(self.scenario.folder))

    def build(self, contenders: Iterable[Contender]) -> None:
        """Build each checkout once, and prepare once each thing that contenders write to.
        RaceError if a command fails.
        """
        built: set[Checkout] = set()
        prepared: set[str] = set()
        for contender in contenders:
            key, place = checkout(self.scenario, contender), self.place(contender)
            name, values = self.state.template(contender)
            command = build(self.scenario, contender, values)
            if command and key not in built:
                built.add(key)
                with environments.building(place):
                    server.run("build", self.scenario, command, place)
            command = prepare(self.scenario, contender, values)
            if command and name not in prepared:
                prepared.add(name)
                server.run("prepare", self.scenario, command, place)
        self.state.made()


@dataclass
class AppSubject:
    """A contender as `discipline.Subject` asks for it: a server, and wrk or oha."""

    shared: SharedRequests
    contender: Contender
    server: AppServer
    layout: Layout
    _bytes: dict[str, int] = field(default_factory=dict)

    def parties(self) -> Mapping[str, Party]:
        """Return the processes to meter; the generator has none between two loads."""
        found = {
            SERVER: Party(self.server.child.pid, self.layout[SERVER]),
            GENERATOR: Party(None, self.layout[GENERATOR]),
        }
        if DATABASE in self.layout:
            found[DATABASE] = Party(self._database(), self.layout[DATABASE])
        return found

    def _database(self) -> int | None:
        return self.shared.state.pid(self.contender)

    def alive(self) -> bool:
        """Return whether the server and its database run."""
        kept = DATABASE not in self.layout or self._database() is not None
        return kept and self.server.child.running()

    def resume(self) -> None:
        """Pin the server and its database to their cores."""
        pin_tree(tree(self.server.child.pid), self.layout[SERVER])
        pin_database(self._database(), self.layout)

    def pause(self) -> None:
        """Move the server and its database off the measured cores."""
        for pid in (self.server.child.pid, self._database()):
            pin_tree(tree(pid), cores.resting(self.layout))

    def check(self, task: str) -> None:
        """Ask one request of each kind, and compare the answer with what is expected."""
        found = [self.ask(one) for one in requests.samples(self.shared.tasks[task], most=1)]
        self._bytes[task] = sum(len(one.body) for one in found) // len(found)

    def ask(self, request: Drawn) -> Answer:
        """Return the answer to a request. CellFailed if it is not right."""
        answer = answers.ask(self.server.place, request)
        if wrong := answers.problem(request, answer):
            raise CellFailed(wrong)
        return answer

    def all_answers(self, asked: Sequence[Drawn]) -> list[Answer]:
        """Return the answers to all requests. NotServing if one is wrong, or the server ends."""
        try:
            found = [self.ask(one) for one in asked]
        except CellFailed as failure:
            raise NotServing(str(failure), self.server.child.log(server.SHOWN)) from None
        if not self.alive():
            raise NotServing(f"server {server.ended(self.server.child)}", ())
        return found

    def drive(self, work: Work) -> Sample:
        """Run a load generator once."""
        path, file = self.shared.tasks[work.task][0].path, self.shared.file(work.task)
        place = self.server.place
        target = Target(place.url, path, requests=str(file), socket=place.path)
        return drive(target, work.load, self.server.child, self.layout[GENERATOR]).sample

    def facts(self, task: str) -> Figures:
        """Return the bytes of the answer's body, the mean of one answer to each kind."""
        return {"body_bytes": self._bytes.get(task, 0)}

    def close(self) -> None:
        """End the server with all its processes."""
        self.server.end()


def pin_database(pid: int | None, layout: Layout) -> None:
    """Pin a contender's database to its cores, if it has one."""
    pin_tree(tree(pid), layout.get(DATABASE, frozenset()))


@contextmanager
def opened(scenario: AppScenario, contenders: Sequence[Contender]) -> Iterator[Start]:
    """Build what is raced, compare what all answer, and give the function that starts one."""
    tasks = requests.tasks(scenario)
    with (
        TemporaryDirectory(prefix="race-") as folder,
        checked_out(Path(scenario.folder), needed(scenario, contenders), scenario.locks) as places,
        state.opened(scenario) as kept,
    ):
        shared = SharedRequests(scenario, tasks, Path(folder), places, kept)
        shared.build(contenders)
        rehearse(shared, [one for one in contenders if not one.aa])
        kept.forget()
        yield shared.start


def needed(scenario: AppScenario, contenders: Sequence[Contender]) -> dict[Checkout, str]:
    """Return the commit of each checkout that is needed.

    Without commits all run in the folder as it is, unless they are built in several ways: then each
    has a checkout of what is there, because a build would undo the one before.
    """
    wanted = dict.fromkeys(checkout(scenario, one) for one in contenders)
    if scenario.commits:
        commits = scenario.levels[COMMIT]
        return {one: commits[one.commit] for one in wanted}
    if len(wanted) < 2:
        return {}
    (now,) = resolved(Path(scenario.folder), [WORKTREE]).values()
    return dict.fromkeys(wanted, now)


def rehearse(shared: SharedRequests, contenders: Sequence[Contender]) -> None:
    """Start one contender after the other and compare their answers. RaceError if one does not
    start, is wrong, or differs from the first, unless the scenario allows that.
    """
    asked = requests.samples([one for each in shared.tasks.values() for one in each])
    reference: list[Answer] = []
    for contender in contenders:
        found = _answers(shared, contender, asked)
        reference = reference or found
        unlike = answers.differences(contender.label, found, contenders[0].label, reference, asked)
        if unlike and not shared.scenario.allow_different:
            remedy = "mend it, mask what may differ (`mask`), or add --allow-different"
            raise RaceError(f"{'; '.join(unlike)}. {remedy[0].upper()}{remedy[1:]}")


def _answers(shared: SharedRequests, contender: Contender, asked: Sequence[Drawn]) -> list[Answer]:
    try:
        subject = shared.start(contender)
        try:
            return subject.all_answers(asked)
        finally:
            subject.close()
    except CellFailed as failure:
        server.tell(failure.log if isinstance(failure, NotServing) else ())
        raise RaceError(f"{contender.label}: {failure}") from None
