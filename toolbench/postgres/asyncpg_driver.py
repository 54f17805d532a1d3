"""asyncpg."""

from __future__ import annotations

from functools import partial
from typing import Any

import asyncpg

from runtime.address import Address
from toolbench.driver import Call, Operation, Options, Unsupported


class Asyncpg:
    """asyncpg, whose cache of statements is off when statements are not prepared."""

    BLOCKING = False
    SHARED = False

    def __init__(self, address: Address, options: Options) -> None:
        self._prepared = options.prepared
        self._options = {
            "host": address.path or address.host,
            "port": address.port,
            "user": address.user,
            "password": address.password,
            "database": address.name,
            "ssl": False,  # toolbench/postgres/libpq.py says why
        }

    async def connect(self) -> Any:
        cached = {} if self._prepared else {"statement_cache_size": 0}
        return await asyncpg.connect(**self._options, **cached)

    async def close(self, connection: Any) -> None:
        await connection.close()

    async def bind(self, connection: Any, operation: Operation) -> Call:
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
