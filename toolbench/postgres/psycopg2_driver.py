"""psycopg2."""

from __future__ import annotations

import csv
import io
from typing import Any, Dict, List

import psycopg2
from psycopg2.extras import execute_batch

from toolbench.driver import Address, Call, Operation, Options, Unsupported
from toolbench.postgres.where import libpq
from toolbench.style import percent


class Psycopg2:
    """See ``driver.Driver``."""

    BLOCKING = True
    SHARED = False

    def __init__(self, address: Address, options: Options) -> None:
        self._where = libpq(address)

    def connect(self) -> Any:
        """See ``driver.Driver``."""
        connection = psycopg2.connect(**self._where)
        connection.autocommit = True
        return connection

    def close(self, connection: Any) -> None:
        """See ``driver.Driver``."""
        connection.close()

    def bind(self, connection: Any, operation: Operation) -> Call:
        """See ``driver.Driver``. It sends text: what is copied is written as CSV, each time."""
        sql, args = percent(operation)
        records = operation.records

        def query() -> List[Any]:
            with connection.cursor() as cursor:
                cursor.execute(sql, args)
                rows: List[Any] = cursor.fetchall()
                return rows

        def execute() -> None:
            with connection.cursor() as cursor:
                cursor.execute(sql, args)

        def batch() -> None:
            # One transaction, as it is with the others, although it is sent in pages.
            with connection, connection.cursor() as cursor:
                execute_batch(cursor, sql, records)

        def copy() -> None:
            text = io.StringIO()
            csv.writer(text).writerows(records)
            text.seek(0)
            with connection.cursor() as cursor:
                cursor.copy_expert(f"{sql} with (format csv)", text)

        once: Call = query if operation.columns else execute
        calls: Dict[str, Call] = {"query": once, "batch": batch, "copy": copy}
        if operation.kind not in calls:
            raise Unsupported(operation.kind)
        return calls[operation.kind]
