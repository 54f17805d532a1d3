"""aiopg, with rows as tuples and with psycopg2's DictCursor."""

from __future__ import annotations

from typing import Any, List, Optional

import aiopg
from psycopg2.extras import DictCursor

from runtime.address import Address
from toolbench.driver import Call, Operation, Options, call_of, percent
from toolbench.postgres import libpq

# Statements that are sent together, as in psycopg2's execute_batch.
PAGE = 100


class Aiopg:
    """Each statement outside of a transaction is committed by itself."""

    BLOCKING = False
    SHARED = False
    CURSOR: Optional[type] = None

    def __init__(self, address: Address, options: Options) -> None:
        self._options = libpq.options(address)

    async def connect(self) -> Any:
        return await aiopg.connect(**self._options)

    async def close(self, connection: Any) -> None:
        await connection.close()

    async def bind(self, connection: Any, operation: Operation) -> Call:
        sql, args = percent(operation)
        cursor_class, records = self.CURSOR, operation.records

        async def query() -> List[Any]:
            async with connection.cursor(cursor_factory=cursor_class) as cursor:
                await cursor.execute(sql, args)
                rows: List[Any] = await cursor.fetchall()
                return rows

        async def execute() -> None:
            async with connection.cursor(cursor_factory=cursor_class) as cursor:
                await cursor.execute(sql, args)

        async def batch() -> None:
            # aiopg has neither executemany nor execute_batch: this is the latter, in a transaction.
            async with connection.cursor(cursor_factory=cursor_class) as cursor, cursor.begin():
                for first in range(0, len(records), PAGE):
                    page = [cursor.mogrify(sql, record) for record in records[first : first + PAGE]]
                    await cursor.execute(b";".join(page))

        return call_of(operation, query=query, execute=execute, batch=batch)


class AiopgDict(Aiopg):
    """Rows know their columns by name, as those of other drivers do."""

    CURSOR = DictCursor
