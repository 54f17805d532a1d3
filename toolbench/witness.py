"""A database past the drivers that are measured in it: it is prepared, and says what is right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from runtime.plugin import Plugin
from toolbench.check import Texts
from toolbench.operation import Operation

WITNESSES = {
    "postgres": Plugin("toolbench.postgres.witness:PostgresWitness"),
    "tarantool": Plugin("toolbench.tarantool.witness:TarantoolWitness"),
    "mysql": Plugin("toolbench.mysql.witness:MysqlWitness"),
}
"""By database: a class that is made from its URL."""


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


def witness(database: str, url: str) -> Witness:
    """The one of a database."""
    made: Any = WITNESSES[database].load()
    found: Witness = made(url)
    return found
