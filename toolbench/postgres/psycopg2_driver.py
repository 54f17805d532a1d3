"""psycopg2."""

from __future__ import annotations

import csv
import io
from typing import Any, List

import psycopg2
from psycopg2.extras import execute_batch

from runtime.address import Address
from toolbench.driver import Call, Operation, Options, call_of, percent
from toolbench.postgres import libpq


class Psycopg2:
    """It sends only texts: records that are copied are written as CSV in each operation."""

    BLOCKING = True
    SHARED = False

    def __init__(self, address: Address, options: Options) -> None:
        self._options = libpq.options(address)

    def connect(self) -> Any:
        connection = psycopg2.connect(**self._options)
        connection.autocommit = True
        return connection

    def close(self, connection: Any) -> None:
        connection.close()

    def bind(self, connection: Any, operation: Operation) -> Call:
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
            # One transaction, as with the other drivers, although it is sent in pages.
            with connection, connection.cursor() as cursor:
                execute_batch(cursor, sql, records)

        def copy() -> None:
            text = io.StringIO()
            csv.writer(text).writerows(records)
            text.seek(0)
            with connection.cursor() as cursor:
                cursor.copy_expert(f"{sql} with (format csv)", text)

        return call_of(operation, query=query, execute=execute, batch=batch, copy=copy)
