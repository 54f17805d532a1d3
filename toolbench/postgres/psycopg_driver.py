"""psycopg 3, asynchronous."""

from __future__ import annotations

from typing import Any, List

import psycopg

from runtime.address import Address
from toolbench.driver import Call, Operation, Options, call_of, percent
from toolbench.postgres import libpq


class Psycopg:
    """Statements are prepared when they are first executed, or never."""

    BLOCKING = False
    SHARED = False

    def __init__(self, address: Address, options: Options) -> None:
        self._binary = options.format == "binary"
        self._threshold = 0 if options.prepared else None
        self._options = libpq.options(address)

    async def connect(self) -> Any:
        options: Any = {**self._options, "prepare_threshold": self._threshold}
        return await psycopg.AsyncConnection.connect(autocommit=True, **options)

    async def close(self, connection: Any) -> None:
        await connection.close()

    async def bind(self, connection: Any, operation: Operation) -> Call:
        sql, args = percent(operation)
        binary, records = self._binary, operation.records

        async def query() -> List[Any]:
            cursor = await connection.execute(sql, args, binary=binary)
            rows: List[Any] = await cursor.fetchall()
            return rows

        async def execute() -> None:
            await connection.execute(sql, args)

        async def batch() -> None:
            async with connection.cursor() as cursor:
                await cursor.executemany(sql, records)

        async def copy() -> None:
            async with connection.cursor() as cursor, cursor.copy(sql) as writing:
                for record in records:
                    await writing.write_row(record)

        return call_of(operation, query=query, execute=execute, batch=batch, copy=copy)
