"""The reference for PostgreSQL.

It asks for the database's own texts (``column::text``), so that no driver converts them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import psycopg

from race.errors import CellFailed
from toolbench.check import Texts
from toolbench.operation import OperationSpec
from toolbench.runner.values import decode
from toolbench.timeouts import TIMEOUTS

TYPES = {
    **dict.fromkeys(("int2", "int4", "int8", "oid"), "int"),
    **dict.fromkeys(("text", "varchar", "name", "char"), "text"),
    **dict.fromkeys(("regproc", "pg_node_tree", "aclitem"), "text"),
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
# A driver that keeps a transaction open must not stop the race.
SESSION = "set lock_timeout = '5s'; set statement_timeout = '20s'"


class PostgresReference:
    """A `Reference`."""

    types: Mapping[str, str] = TYPES

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: psycopg.Connection[Any] | None = None

    def prepare(self, operation: OperationSpec) -> None:
        self.run(operation.prepare)

    def run(self, statements: Sequence[str]) -> None:
        for statement in statements:
            self._rows(statement)

    def expected(self, operation: OperationSpec) -> Texts:
        columns = ", ".join(f'"{name}"::text' for name, _ in operation.columns)
        # The statement is not a user's: it comes from a file of the project.
        return self._rows(f"select {columns} from ({operation.sql}) as asked", operation.args)  # noqa: S608

    def after(self, operation: OperationSpec) -> Texts:
        return [[str(value) for value in row] for row in self._rows(operation.after)]

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _rows(self, statement: str, args: Sequence[Any] = ()) -> list[list[Any]]:
        """Execute a statement, and return the rows if it has any."""
        old = self._connection is not None
        try:
            done = self._connected().execute(statement, list(map(decode, args)) or None)
            return [list(row) for row in done] if done.description else []
        except psycopg.Error as error:
            self.close()
            if old and isinstance(error, psycopg.OperationalError):
                return self._rows(statement, args)  # the database may have been away meanwhile
            raise CellFailed(f"postgres: {' '.join(str(error).split())}") from None

    def _connected(self) -> psycopg.Connection[Any]:
        if self._connection is None:
            self._connection = psycopg.connect(
                self._url,
                autocommit=True,
                connect_timeout=round(TIMEOUTS.connect),
                cursor_factory=psycopg.RawCursor,
            )
            self._connection.execute(SESSION)
        return self._connection
