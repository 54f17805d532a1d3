"""The reference: the harness's own connection, which knows what is right in a database."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Protocol

from race.errors import CellFailed
from runtime.plugin import Plugin
from toolbench.check import Texts
from toolbench.operation import OperationSpec
from toolbench.timeouts import TIMEOUTS

REFERENCES = {
    "postgres": Plugin("toolbench.postgres.reference:PostgresReference"),
    "tarantool": Plugin("toolbench.tarantool.reference:TarantoolReference"),
    "mysql": Plugin("toolbench.mysql.reference:MysqlReference"),
}
"""Database to the class of its reference, which takes a URL."""


class Reference(Protocol):
    """Prepares a database, and asks it what is right without the drivers that are measured.

    It connects when it is first used, and again after a failure. Each method raises CellFailed if
    the database does not answer.
    """

    types: Mapping[str, str]
    """Database type to its natural tag."""

    def prepare(self, operation: OperationSpec) -> None:
        """Make the tables that the operation needs."""
        ...

    def run(self, statements: Sequence[str]) -> None:
        """Run an operation's `reset` before a check, or its `cleanup` when the race ends."""
        ...

    def expected(self, operation: OperationSpec) -> Texts:
        """Return the rows that the operation must read now."""
        ...

    def after(self, operation: OperationSpec) -> Texts:
        """Return the answer to the operation's `after`: what it left behind."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


class TimedReference:
    """A `Reference` with a timeout: a database that hangs fails a cell, and the race goes on."""

    def __init__(self, database: str, url: str) -> None:
        self._database, self._url = database, url
        self._inner = self._make()
        self.types = self._inner.types

    def prepare(self, operation: OperationSpec) -> None:
        self._within_timeout(self._inner.prepare, operation)

    def run(self, statements: Sequence[str]) -> None:
        self._within_timeout(self._inner.run, statements)

    def expected(self, operation: OperationSpec) -> Texts:
        texts: Texts = self._within_timeout(self._inner.expected, operation)
        return texts

    def after(self, operation: OperationSpec) -> Texts:
        texts: Texts = self._within_timeout(self._inner.after, operation)
        return texts

    def close(self) -> None:
        with contextlib.suppress(CellFailed):
            self._within_timeout(self._inner.close)

    def _make(self) -> Reference:
        made: Reference = REFERENCES[self._database].load()(self._url)
        return made

    def _within_timeout(self, ask: Callable[..., Any], *arguments: Any) -> Any:
        """Return the answer; a thread that gets none is abandoned with its connection."""
        answer: Future[Any] = Future()
        threading.Thread(target=_answer, args=(answer, ask, arguments), daemon=True).start()
        try:
            return answer.result(TIMEOUTS.reference)
        except TimeoutError:
            if not answer.done():
                self._inner = self._make()
            text = f"{self._database} did not answer within {TIMEOUTS.reference:g} s"
            raise CellFailed(text) from None


def _answer(answer: Future[Any], ask: Callable[..., Any], arguments: Sequence[Any]) -> None:
    try:
        answer.set_result(ask(*arguments))
    except BaseException as error:  # noqa: BLE001 - it is raised in the thread that waits
        answer.set_exception(error)
