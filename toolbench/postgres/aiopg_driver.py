"""aiopg, with rows as tuples and with psycopg2's DictCursor."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

import aiopg
from psycopg2.extras import DictCursor

from toolbench.driver import Address, Call, Operation, Options, Unsupported
from toolbench.postgres.where import libpq
from toolbench.style import percent

# Statements that are sent together, as psycopg2's execute_batch does.
PAGE = 100


class Aiopg:
    """See ``driver.Driver``. Each statement outside of a transaction is committed by itself."""

    BLOCKING = False
    SHARED = False
    CURSOR: Optional[type] = None

    def __init__(self, address: Address, options: Options) -> None:
        self._where = libpq(address)

    async def connect(self) -> Any:
        """See ``driver.Driver``."""
        return await aiopg.connect(**self._where)

    async def close(self, connection: Any) -> None:
        """See ``driver.Driver``."""
        await connection.close()

    async def bind(self, connection: Any, operation: Operation) -> Call:
        """See ``driver.Driver``."""
        sql, args = percent(operation)
        kind_of_cursor, records = self.CURSOR, operation.records

        async def query() -> List[Any]:
            async with connection.cursor(cursor_factory=kind_of_cursor) as cursor:
                await cursor.execute(sql, args)
                rows: List[Any] = await cursor.fetchall()
                return rows

        async def execute() -> None:
            async with connection.cursor(cursor_factory=kind_of_cursor) as cursor:
                await cursor.execute(sql, args)

        async def batch() -> None:
            # It has neither executemany nor execute_batch: this is the latter, in one transaction.
            async with connection.cursor(cursor_factory=kind_of_cursor) as cursor, cursor.begin():
                for first in range(0, len(records), PAGE):
                    page = [cursor.mogrify(sql, record) for record in records[first : first + PAGE]]
                    await cursor.execute(b";".join(page))

        once: Call = query if operation.columns else execute
        calls: Dict[str, Call] = {"query": once, "batch": batch}
        if operation.kind not in calls:
            raise Unsupported(operation.kind)
        return calls[operation.kind]


class AiopgDict(Aiopg):
    """Rows have their columns by name, as those of other drivers do."""

    CURSOR = DictCursor
