"""psycopg 3, blocking."""

from __future__ import annotations

from typing import Any, List

import psycopg

from runtime.address import Address
from toolbench.driver import Call, Operation, Options, call_of, percent
from toolbench.postgres import libpq


class PsycopgSync:
    """Statements are prepared when they are first executed, or never."""

    BLOCKING = True
    SHARED = False

    def __init__(self, address: Address, options: Options) -> None:
        self._binary = options.format == "binary"
        self._threshold = 0 if options.prepared else None
        self._options = libpq.options(address)

    def connect(self) -> Any:
        options: Any = {**self._options, "prepare_threshold": self._threshold}
        return psycopg.connect(autocommit=True, **options)

    def close(self, connection: Any) -> None:
        connection.close()

    def bind(self, connection: Any, operation: Operation) -> Call:
        sql, args = percent(operation)
        binary, records = self._binary, operation.records

        def query() -> List[Any]:
            rows: List[Any] = connection.execute(sql, args, binary=binary).fetchall()
            return rows

        def execute() -> None:
            connection.execute(sql, args)

        def batch() -> None:
            with connection.cursor() as cursor:
                cursor.executemany(sql, records)

        def copy() -> None:
            with connection.cursor() as cursor, cursor.copy(sql) as writing:
                for record in records:
                    writing.write_row(record)

        return call_of(operation, query=query, execute=execute, batch=batch, copy=copy)
