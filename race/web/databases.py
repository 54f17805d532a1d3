"""The databases of a race: held for its whole length, metered one by one, pinned, and asked."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeGuard, TypeVar

from databases import find, private
from databases.database import DatabaseError
from race.discipline import Party
from race.errors import CellFailed, RaceError
from race.machine import listener
from race.machine.pins import Pins
from race.timeouts import TIMEOUTS
from race.web.hosts.away import AwayDatabase, DatabaseStarter
from runtime.address import Address, AddressError

Answer = TypeVar("Answer")


class DatabaseHold(Protocol):
    """A hold on a private database: `private.Handle`, or a race's own server."""

    @property
    def pid(self) -> int:
        """The main process; DatabaseError while it is down."""
        ...

    @property
    def url(self) -> str:
        """The URL of the database."""
        ...

    def leave(self) -> None:
        """Give up the hold."""
        ...


@dataclass
class Databases:
    """Holds on private databases, and main processes of external ones on this machine, by name.

    With `away`, that starts the private ones, for servers that reach them over a network.
    """

    handles: dict[str, DatabaseHold] = field(default_factory=dict)
    external: dict[str, int] = field(default_factory=dict)
    away: DatabaseStarter | None = None
    _pins: Pins = field(default_factory=Pins)

    def hold(self, names: Iterable[str]) -> None:
        """Keep these databases up until `release`. RaceError if one cannot run."""
        for name in sorted(set(names)):
            if name in self.handles:
                continue
            if url := os.environ.get(self.variable(name)):
                if self.away and has_server(name):
                    raise RaceError(
                        f"{self.variable(name)} names a database of yours: unset it, or leave out "
                        "--server and --database"
                    )
                pid = listener.pid_of(address(name, url))
                self.external.update({name: pid} if pid else {})
                continue
            try:
                self.handles[name] = self._held(name)
            except (DatabaseError, CellFailed) as error:
                raise RaceError(str(error)) from None

    def _held(self, name: str) -> DatabaseHold:
        if self.away and has_server(name):
            return self.away.start(name)
        return private.join(name)

    def _away(self, name: str | None) -> AwayDatabase | None:
        """Return a database for servers on other machines; None if it is not one."""
        found = self.handles.get(name or "")
        return found if isinstance(found, AwayDatabase) else None

    def renew(self, name: str | None) -> None:
        """Start a database for other machines again if it has ended. CellFailed if that fails."""
        found = self._away(name)
        if self.away and found and not found.running():
            found.leave()
            self.handles[found.name] = self.away.start(found.name)

    def env(self, name: str | None) -> dict[str, str]:
        """Return the environment variable with the database's URL; empty if the server finds its
        private database itself.
        """
        found = self._away(name)
        return {self.variable(found.name): found.url} if found else {}

    def lost(self, name: str | None, url: str | None) -> bool:
        """Return whether a database has ended, or was started again at another URL."""
        found = self._away(name)
        return found is not None and (found.url != url or not found.running())

    def party(self, name: str, cores: frozenset[int]) -> Party:
        """Return the database for the meters; if it is on this machine, on these cores."""
        found = self._away(name)
        return found.party(cores) if found else Party(self.pid(name), cores)

    def release(self) -> None:
        """Give every hold up, and return pinned processes to their cores."""
        self._pins.release()
        for handle in self.handles.values():
            handle.leave()
        self.handles.clear()

    def variable(self, name: str) -> str:
        """Return the environment variable that names an external database."""
        return find(name).url_variable

    def url(self, name: str) -> str | None:
        """Return the URL of a database, or None if the race does not use it."""
        if name in self.handles:
            return self.handles[name].url
        return os.environ.get(self.variable(name))

    def pid(self, name: str) -> int | None:
        """Return the main process of a database; None while it is down, or on another machine."""
        if name not in self.handles:
            return self.external.get(name)
        away = self._away(name)
        try:
            return None if away and away.machine else self.handles[name].pid
        except DatabaseError:
            return None

    def pin(self, cores: frozenset[int]) -> None:
        """Pin every database to its cores, for each cell anew, as it may have been restarted."""
        for name in (*self.handles, *self.external):
            self._pins.pin(self.pid(name), cores)


@contextmanager
def held(names: Iterable[str], away: DatabaseStarter | None = None) -> Iterator[Databases]:
    """Hold the databases of a race for the length of a `with`."""
    databases = Databases(away=away)
    try:
        databases.hold(names)
        yield databases
    finally:
        databases.release()


def has_server(name: str | None) -> TypeGuard[str]:
    """Return whether it is a database in a process of its own, not None or an embedded one."""
    return name is not None and not find(name).embedded


def address(name: str, url: str) -> Address:
    """Return the address in a URL. RaceError, one line, if it is no URL of that database."""
    try:
        return find(name).address(url)
    except AddressError as error:
        raise RaceError(str(error)) from None


def ask(
    name: str, question: Coroutine[Any, Any, Answer], timeout: float = TIMEOUTS.database
) -> Answer:
    """Return the answer of a database. CellFailed in one line if it does not come in time."""
    try:
        return asyncio.run(asyncio.wait_for(question, timeout))
    except CellFailed:
        raise
    except Exception as error:  # noqa: BLE001 - each driver has an error tree of its own
        raise CellFailed(f"{name} did not answer: {type(error).__name__} {error}") from None
