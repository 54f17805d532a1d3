"""A database past the drivers that are measured in it: it is prepared, and says what is right."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Protocol

from race.errors import CellFailed
from runtime.plugin import Plugin
from toolbench.check import Texts
from toolbench.operation import Operation

WITNESSES = {
    "postgres": Plugin("toolbench.postgres.witness:PostgresWitness"),
    "tarantool": Plugin("toolbench.tarantool.witness:TarantoolWitness"),
    "mysql": Plugin("toolbench.mysql.witness:MysqlWitness"),
}
"""By database: a class that is made from its URL."""

PATIENCE_SECONDS = 120.0
"""Making 100,000 rows takes some seconds."""


class Witness(Protocol):
    """A connection of the harness's own; CellFailed, one line, when the database does not answer.

    It is opened when it is first used, and again after a failure.
    """

    types: Mapping[str, str]
    """The database's types to the tags that they have by nature."""

    def prepare(self, operation: Operation) -> None:
        """Make what the operation needs."""
        ...

    def reset(self, operation: Operation) -> None:
        """Take away what the operation wrote."""
        ...

    def expected(self, operation: Operation) -> Texts:
        """The rows that the operation must give now."""
        ...

    def after(self, operation: Operation) -> Texts:
        """What the operation left behind: the answer to its `after`."""
        ...

    def close(self) -> None:
        """End the connection."""
        ...


class Patient:
    """A ``Witness`` that is waited for no longer than PATIENCE_SECONDS: a database that hangs fails
    a cell, and does not stop the race.
    """

    def __init__(self, database: str, url: str) -> None:
        self._database, self._url = database, url
        self._inner = self._made()
        self.types = self._inner.types

    def prepare(self, operation: Operation) -> None:
        """See ``Witness``."""
        self._waited(self._inner.prepare, operation)

    def reset(self, operation: Operation) -> None:
        """See ``Witness``."""
        self._waited(self._inner.reset, operation)

    def expected(self, operation: Operation) -> Texts:
        """See ``Witness``."""
        texts: Texts = self._waited(self._inner.expected, operation)
        return texts

    def after(self, operation: Operation) -> Texts:
        """See ``Witness``."""
        texts: Texts = self._waited(self._inner.after, operation)
        return texts

    def close(self) -> None:
        """See ``Witness``."""
        with contextlib.suppress(CellFailed):
            self._waited(self._inner.close)

    def _made(self) -> Witness:
        made: Any = WITNESSES[self._database].load()
        found: Witness = made(self._url)
        return found

    def _waited(self, ask: Callable[..., Any], *what: Any) -> Any:
        """The answer; a thread that gets none is left behind with its connection."""
        answer: Future[Any] = Future()
        threading.Thread(target=_answered, args=(answer, ask, what), daemon=True).start()
        try:
            return answer.result(PATIENCE_SECONDS)
        except TimeoutError:
            if not answer.done():
                self._inner = self._made()
            text = f"{self._database} did not answer within {PATIENCE_SECONDS:g} s"
            raise CellFailed(text) from None


def _answered(answer: Future[Any], ask: Callable[..., Any], what: Sequence[Any]) -> None:
    try:
        answer.set_result(ask(*what))
    except BaseException as error:  # noqa: BLE001 - it is raised where somebody waits
        answer.set_exception(error)


def witness(database: str, url: str) -> Witness:
    """The one of a database."""
    return Patient(database, url)
