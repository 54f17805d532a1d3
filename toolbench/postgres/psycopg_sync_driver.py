"""psycopg 3, its blocking side."""

from __future__ import annotations

from typing import Any, Dict, List

import psycopg

from toolbench.driver import Address, Call, Operation, Options, Unsupported
from toolbench.postgres.where import libpq
from toolbench.style import percent


class PsycopgSync:
    """See ``driver.Driver``. Statements are prepared at their first use, or never."""

    BLOCKING = True
    SHARED = False

    def __init__(self, address: Address, options: Options) -> None:
        self._binary = options.format == "binary"
        self._threshold = 0 if options.prepared else None
        self._where = libpq(address)

    def connect(self) -> Any:
        """See ``driver.Driver``."""
        options: Any = {**self._where, "prepare_threshold": self._threshold}
        return psycopg.connect(autocommit=True, **options)

    def close(self, connection: Any) -> None:
        """See ``driver.Driver``."""
        connection.close()

    def bind(self, connection: Any, operation: Operation) -> Call:
        """See ``driver.Driver``."""
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

        once: Call = query if operation.columns else execute
        calls: Dict[str, Call] = {"query": once, "batch": batch, "copy": copy}
        if operation.kind not in calls:
            raise Unsupported(operation.kind)
        return calls[operation.kind]
