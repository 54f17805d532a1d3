"""The programs of the article on SQLAlchemy, as it had them: the level `article` of the strategies.

Each load is a program from its begin: it drops the tables, makes them and opens its own connections
within the time. The article's classes are those of `models`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker

from runtime.address import Address
from toolbench.sqlalchemy import schedules
from toolbench.sqlalchemy.log import Log
from toolbench.sqlalchemy.models import ParentRow, ToolbenchBase
from toolbench.sqlalchemy.strategies import (
    MAKE_SCHEMA,
    AsyncStrategy,
    Strategy,
    SyncStrategy,
    shown,
    with_children,
)
from toolbench.sqlalchemy.workload import EXAMPLE, Workload
from toolbench.timeouts import TIMEOUTS

POOL, OVER, BLOCKING_POOL = 3000, 20, 2000
"""The connections of the pools, and those that may be opened beside them: more than the article's
server allowed, which was 2,000."""

# A terminal takes each line by itself, so this does too.
_paper = Path(os.devnull).open("w", buffering=1, encoding="utf-8")  # noqa: SIM115  never closed


def printed(parent: ParentRow) -> int:
    """Print the children of a parent; return how many rows were loaded."""
    for child in parent.children:
        print(child, file=_paper)
    return 1 + len(parent.children)


class ArticleSync(SyncStrategy):
    """One operation after the other, on psycopg2."""

    POOL: ClassVar[dict[str, Any]] = {
        "pool_size": BLOCKING_POOL,
        "max_overflow": 0,
        "pool_timeout": TIMEOUTS.pool_turn,
    }

    async def prepare(self) -> None:
        with self._engine.begin() as connection:
            connection.execute(MAKE_SCHEMA)

    async def example(self) -> list[list[Any]]:
        self._make_tables()
        self._write(EXAMPLE)
        with self._sessions() as session:
            return shown(self._found(session))

    async def empty(self) -> None:
        """Close all connections: a load opens its own."""
        self._engine.dispose()

    async def do(self, work: Workload, at_a_time: int, log: Log, until: int) -> None:
        self._make_tables()
        await super().do(work, at_a_time, log, until)

    def _make_tables(self) -> None:
        ToolbenchBase.metadata.drop_all(self._engine)
        ToolbenchBase.metadata.create_all(self._engine)

    def _read(self) -> int:
        with self._sessions() as session:
            return sum(map(printed, session.execute(with_children()).scalars()))


class ArticleAsync(AsyncStrategy):
    """Many operations at a time, on asyncpg, whose results are streamed."""

    async def prepare(self) -> None:
        async with self._aside.begin() as connection:
            await connection.execute(MAKE_SCHEMA)

    async def example(self) -> list[list[Any]]:
        await self.empty()
        sessions = async_sessionmaker(await self._begin(1), expire_on_commit=False)
        await self._write(sessions, EXAMPLE)
        async with sessions() as session:
            return shown(await self._found(session))

    async def empty(self) -> None:
        """Close all connections: a load opens its own, which know no dropped tables."""
        await self.close()
        self._pools.clear()

    async def _begin(self, at_a_time: int) -> AsyncEngine:
        engine = self._pool(POOL, OVER)
        async with engine.begin() as connection:
            await connection.run_sync(ToolbenchBase.metadata.drop_all)
        async with engine.begin() as connection:
            await connection.run_sync(ToolbenchBase.metadata.create_all)
        return engine

    async def _read(self, sessions: async_sessionmaker[AsyncSession]) -> int:
        async with sessions() as session:
            found = await session.stream(with_children())
            return sum([printed(parent) async for parent in found.scalars()])


PROGRAMS: Mapping[str, Callable[[Address], Strategy]] = {
    "sqlalchemy-sync": ArticleSync,
    "sqlalchemy-tasks": partial(ArticleAsync, schedule=schedules.tasks),
    "sqlalchemy-chunks": partial(ArticleAsync, schedule=schedules.chunks),
}
"""Name of a driver to the article's program."""
