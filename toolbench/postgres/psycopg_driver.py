"""psycopg 3, its asynchronous side."""

from __future__ import annotations

from typing import Any, Dict, List

import psycopg

from toolbench.driver import Address, Call, Operation, Options, Unsupported
from toolbench.postgres.where import libpq
from toolbench.style import percent


class Psycopg:
    """See ``driver.Driver``. Statements are prepared at their first use, or never."""

    BLOCKING = False
    SHARED = False

    def __init__(self, address: Address, options: Options) -> None:
        self._binary = options.format == "binary"
        self._threshold = 0 if options.prepared else None
        self._where = libpq(address)

    async def connect(self) -> Any:
        """See ``driver.Driver``."""
        options: Any = {**self._where, "prepare_threshold": self._threshold}
        return await psycopg.AsyncConnection.connect(autocommit=True, **options)

    async def close(self, connection: Any) -> None:
        """See ``driver.Driver``."""
        await connection.close()

    async def bind(self, connection: Any, operation: Operation) -> Call:
        """See ``driver.Driver``."""
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

        once: Call = query if operation.columns else execute
        calls: Dict[str, Call] = {"query": once, "batch": batch, "copy": copy}
        if operation.kind not in calls:
            raise Unsupported(operation.kind)
        return calls[operation.kind]
