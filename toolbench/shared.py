"""What the contenders of a race share: its databases, and the harness's own connections to them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from databases import find
from databases.database import DatabaseError
from databases.home import folder
from databases.locks import locked
from race.discipline import Subject
from race.errors import CellFailed, RaceError
from race.machine import cores
from race.saved.model import Contender
from race.web.databases import Databases, address, held
from runtime.address import Address
from toolbench.drivers import DRIVERS, TRANSPORT
from toolbench.operation import operations
from toolbench.scenario import ToolsScenario
from toolbench.transport import TCP, Listener, listener
from toolbench.witness import WITNESSES, Witness, witness

DRIVER, GENERATOR, DATABASE = PARTIES = ("driver", "generator", "database")
ALONE_SECONDS = 10.0
"""Another race that is about to end is waited for so long."""


@dataclass
class Shared:
    """`databases` are those of the race; `listeners` are ours that take the place of private ones,
    and `witnesses` the harness's own connections, by database.
    """

    databases: Databases
    listeners: dict[str, Listener] = field(default_factory=dict)
    witnesses: dict[str, Witness] = field(default_factory=dict)

    def start(self, contender: Contender) -> Subject:
        """See ``discipline.Start``."""
        layout = cores.assign(PARTIES)
        self.databases.pin(layout[DATABASE])
        start: Any = DRIVERS[contender.name].subject.load()
        made: Subject = start(contender, self, layout)
        return made

    def address(self, database: str, transport: str) -> Address:
        """Where a driver finds its database; CellFailed when it is not part of the race."""
        if transport == TCP and database in self.listeners:
            return self.listeners[database].tcp
        url = self.databases.url(database)
        if url is None:
            raise CellFailed(f"there is no {database}")
        return address(database, url)


@contextmanager
def opened(scenario: ToolsScenario, contenders: Sequence[Contender]) -> Iterator[Shared]:
    """The databases of a race, with what its operations need in them; RaceError, one line, where
    that cannot be.
    """
    wanted = {(DRIVERS[one.name].database, one.factors.get(TRANSPORT)) for one in contenders}
    names = sorted({name for name, _ in wanted})
    ours = [name for name in names if (name, TCP) in wanted and not _served(name)]
    with ExitStack() as stack:
        databases = stack.enter_context(held(name for name in names if name not in ours))
        shared = Shared(databases)
        for name in ours:
            shared.listeners[name] = databases.handles[name] = listener(name)
        for name in names:
            if name in WITNESSES:
                if name not in ours:  # a listener is the race's own
                    stack.enter_context(_alone(name))
                found = shared.witnesses[name] = witness(name, databases.url(name) or "")
                stack.callback(found.close)
                _prepare(found, scenario, name)
        yield shared


def _served(database: str) -> bool:
    """Whether a server of the user's own is raced."""
    return bool(os.environ.get(find(database).url_variable))


@contextmanager
def _alone(database: str) -> Iterator[None]:
    """The only race on the toolbench's tables, which are made anew for each."""
    home = folder(database)
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(home / "toolbench.lock", ALONE_SECONDS))
        except DatabaseError:
            text = f"another race of drivers uses the tables of {database}: wait for its end"
            raise RaceError(text) from None
        yield


def _prepare(found: Witness, scenario: ToolsScenario, database: str) -> None:
    """What the race's operations need in a database."""
    known = operations()
    try:
        for task in scenario.tasks:
            if task in known and known[task].database == database:
                found.prepare(known[task])
    except CellFailed as failure:
        raise RaceError(str(failure)) from None
