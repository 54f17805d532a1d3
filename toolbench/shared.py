"""The databases of a race and their references, which all of its contenders share."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field

from databases import find
from databases.database import DatabaseError
from databases.home import folder
from databases.locks import locked
from race.discipline import Subject
from race.errors import CellFailed, RaceError
from race.machine import cores
from race.saved.model import Contender, Sharing
from race.web.databases import Databases, address, held
from runtime.address import Address
from toolbench.drivers import DRIVERS
from toolbench.operation import OperationSpec, operations
from toolbench.reference import REFERENCES, Reference, TimedReference
from toolbench.scenario import ToolsScenario
from toolbench.timeouts import TIMEOUTS
from toolbench.tool import TRANSPORT
from toolbench.transport import TCP, Listener, listener

DRIVER, GENERATOR, DATABASE = PARTIES = ("driver", "generator", "database")


@dataclass
class Shared:
    """The databases of a race, and how its parties share cores.

    By the name of its database, a listener takes the place of a private server, and a reference
    knows what is right. `operations` have the sizes of the scenario.
    """

    databases: Databases
    listeners: dict[str, Listener] = field(default_factory=dict)
    references: dict[str, Reference] = field(default_factory=dict)
    operations: Mapping[str, OperationSpec] = field(default_factory=operations)
    sharing: Sharing = "own"

    def start(self, contender: Contender) -> Subject:
        """Start a contender (`discipline.Start`)."""
        layout = cores.assign(PARTIES, sharing=self.sharing)
        self.databases.pin(layout[DATABASE])
        made: Subject = DRIVERS[contender.name].subject.load()(contender, self, layout)
        return made

    def address(self, database: str, transport: str) -> Address:
        """Return where a driver finds its database; CellFailed if the race does not hold it."""
        if transport == TCP and database in self.listeners:
            return self.listeners[database].tcp
        url = self.databases.url(database)
        if url is None:
            raise CellFailed(f"there is no {database}")
        return address(database, url)


@contextmanager
def opened(scenario: ToolsScenario, contenders: Sequence[Contender]) -> Iterator[Shared]:
    """Hold the databases of a race, prepared for its operations; RaceError if that fails."""
    wanted = {(DRIVERS[one.name].database, one.factors.get(TRANSPORT)) for one in contenders}
    names = sorted({name for name, _ in wanted})
    ours = [name for name in names if (name, TCP) in wanted and not _own_server(name)]
    if scenario.settings and not (ours or any(map(_own_server, names))):
        raise RaceError('settings: a race starts a server of its own for transport = ["tcp"] alone')
    with ExitStack() as stack:
        databases = stack.enter_context(held(name for name in names if name not in ours))
        shared = Shared(databases, operations=scenario.known, sharing=scenario.cores)
        for name in ours:
            shared.listeners[name] = databases.handles[name] = listener(name, scenario.settings)
        for name in names:
            if name in REFERENCES:
                if name not in ours:  # no other race knows a listener
                    stack.enter_context(_tables_of_one_race(name))
                reference = TimedReference(name, databases.url(name) or "")
                shared.references[name] = reference
                stack.callback(reference.close)
                raced = [one for one in scenario.raced if one.database == name]
                stack.callback(_clean, reference, raced)
                _prepare(reference, raced)
        yield shared


def _own_server(database: str) -> bool:
    """Return whether the user named a server of their own."""
    return bool(os.environ.get(find(database).url_variable))


@contextmanager
def _tables_of_one_race(database: str) -> Iterator[None]:
    """Keep other races off the toolbench's tables, which are made anew for each race."""
    home = folder(database)
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(home / "toolbench.lock", TIMEOUTS.lock))
        except DatabaseError:
            text = f"another race of drivers uses the tables of {database}: wait for its end"
            raise RaceError(text) from None
        yield


def _prepare(reference: Reference, raced: Sequence[OperationSpec]) -> None:
    """Make what operations need in their database."""
    try:
        for operation in raced:
            reference.prepare(operation)
    except CellFailed as failure:
        raise RaceError(str(failure)) from None


def _clean(reference: Reference, raced: Sequence[OperationSpec]) -> None:
    """Remove what operations say; nothing where the database does not answer any more."""
    with suppress(CellFailed):
        reference.run([statement for operation in raced for statement in operation.cleanup])
