"""asyncpg."""

from __future__ import annotations

from functools import partial
from typing import Any

import asyncpg

from toolbench.driver import Address, Call, Operation, Options, Unsupported


class Asyncpg:
    """See ``driver.Driver``. Without prepared statements its cache of them is off."""

    BLOCKING = False
    SHARED = False

    def __init__(self, address: Address, options: Options) -> None:
        self._prepared = options.prepared
        self._where = {
            "host": address.path or address.host,
            "port": address.port,
            "user": address.user,
            "password": address.password,
            "database": address.database,
            "ssl": False,  # see toolbench/postgres/where.py
        }

    async def connect(self) -> Any:
        """See ``driver.Driver``."""
        cached = {} if self._prepared else {"statement_cache_size": 0}
        return await asyncpg.connect(**self._where, **cached)

    async def close(self, connection: Any) -> None:
        """See ``driver.Driver``."""
        await connection.close()

    async def bind(self, connection: Any, operation: Operation) -> Call:
        """See ``driver.Driver``."""
        sql, args, records = operation.sql, operation.args, operation.records
        if operation.kind == "query" and not operation.columns:
            return partial(connection.execute, sql, *args)
        if operation.kind == "query":
            if self._prepared:
                return partial((await connection.prepare(sql)).fetch, *args)
            return partial(connection.fetch, sql, *args)
        if operation.kind == "batch":
            return partial(connection.executemany, sql, records)
        if operation.kind == "copy":
            schema, _, table = operation.table.rpartition(".")
            return partial(
                connection.copy_records_to_table,
                table,
                schema_name=schema or None,
                columns=operation.column_names,
                records=records,
            )
        raise Unsupported(operation.kind)
