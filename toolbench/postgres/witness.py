"""PostgreSQL past the drivers that are measured in it.

What is right is asked for as the database's own texts (``column::text``), so that no conversion of
a driver has a part in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import psycopg

from race.errors import CellFailed
from toolbench.check import Texts
from toolbench.operation import Operation
from toolbench.runner.tagged import plain

TYPES = {
    **dict.fromkeys(("int2", "int4", "int8", "oid"), "int"),
    **dict.fromkeys(("text", "varchar", "name", "char"), "text"),
    "bool": "bool",
    "bytea": "bytes",
    "float8": "float",
    "numeric": "decimal",
    "timestamp": "datetime",
    "date": "date",
    "time": "time",
    "json": "json",
    "jsonb": "json",
}
CONNECT_SECONDS = 5
# A driver that keeps a transaction open must not stop the race.
SESSION = "set lock_timeout = '5s'; set statement_timeout = '20s'"


class PostgresWitness:
    """See ``witness.Witness``."""

    types: Mapping[str, str] = TYPES

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: psycopg.Connection[Any] | None = None

    def prepare(self, operation: Operation) -> None:
        """See ``Witness``."""
        self._run(operation.prepare)

    def reset(self, operation: Operation) -> None:
        """See ``Witness``."""
        self._run(operation.reset)

    def expected(self, operation: Operation) -> Texts:
        """See ``Witness``."""
        columns = ", ".join(f'"{name}"::text' for name, _ in operation.columns)
        # Nobody but the files of operations has a say in it.
        return self._rows(f"select {columns} from ({operation.sql}) as asked", operation.args)  # noqa: S608

    def after(self, operation: Operation) -> Texts:
        """See ``Witness``."""
        return [[str(value) for value in row] for row in self._rows(operation.after)]

    def close(self) -> None:
        """See ``Witness``."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _run(self, statements: Sequence[str]) -> None:
        for statement in statements:
            self._execute(statement, ())

    def _rows(self, statement: str, args: Sequence[Any] = ()) -> list[list[Any]]:
        return [list(row) for row in self._execute(statement, args) or ()]

    def _execute(self, statement: str, args: Sequence[Any]) -> list[Any] | None:
        """The rows, None of a statement that has none."""
        old = self._connection is not None
        try:
            done = self._open().execute(statement, [plain(value) for value in args] or None)
            return done.fetchall() if done.description else None
        except psycopg.Error as error:
            self.close()
            if old and isinstance(error, psycopg.OperationalError):
                return self._execute(statement, args)  # the database may have been away meanwhile
            raise CellFailed(f"postgres: {' '.join(str(error).split())}") from None

    def _open(self) -> psycopg.Connection[Any]:
        if self._connection is None:
            self._connection = psycopg.connect(
                self._url,
                autocommit=True,
                connect_timeout=CONNECT_SECONDS,
                cursor_factory=psycopg.RawCursor,
            )
            self._connection.execute(SESSION)
        return self._connection
