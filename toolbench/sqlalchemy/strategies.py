"""Four strategies for the same operations, as users of SQLAlchemy write them."""

from __future__ import annotations

import asyncio
import os
from typing import Any, ClassVar, Protocol

from sqlalchemy import URL, Engine, create_engine, select, text
from sqlalchemy.ext.asyncio import (
    AsyncEngine,
    AsyncSession,
    async_sessionmaker,
    create_async_engine,
)
from sqlalchemy.orm import Session, selectinload, sessionmaker

from runtime.address import Address
from toolbench.sqlalchemy import schedules
from toolbench.sqlalchemy.log import Log, clock
from toolbench.sqlalchemy.models import ChildRow, ParentRow, ToolbenchBase, family
from toolbench.sqlalchemy.schedules import Schedule
from toolbench.sqlalchemy.workload import EXAMPLE, NAME, READ, SCHEMA, WRITTEN, Workload
from toolbench.timeouts import TIMEOUTS

SPARE = 10
"""Connections that a pool leaves to others, such as the harness."""

MAKE_SCHEMA = text(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
EMPTY = text(f"TRUNCATE {ChildRow.__table__}, {ParentRow.__table__} RESTART IDENTITY")
MOST_CONNECTIONS = text("""
    SELECT sum(CASE name WHEN 'max_connections' THEN setting::int ELSE -(setting::int) END)
    FROM pg_settings WHERE name IN
        ('max_connections', 'superuser_reserved_connections', 'reserved_connections')""")
"""The number of connections that the database allows to ordinary users."""


class Strategy(Protocol):
    """A way to do the workload. One that blocks does so in its coroutines."""

    async def prepare(self) -> None:
        """Connect, and make the tables if they are missing."""

    async def example(self) -> list[list[Any]]:
        """Write once into empty tables, and return what a read finds (`EXAMPLE_ROWS`).

        Closes what a load has opened: between loads, a strategy holds one connection.
        """

    async def empty(self) -> None:
        """Empty the tables."""

    async def do(self, work: Workload, at_a_time: int, log: Log, until: int) -> None:
        """Do all of the work; TimeoutError if it is not done at `until` by `log.clock`."""

    async def close(self) -> None:
        """Close all connections; later calls make new ones."""


def url(address: Address, driver: str) -> URL:
    """Return SQLAlchemy's own form of an address; libpq takes a socket's folder as its host."""
    return URL.create(
        f"postgresql+{driver}",
        username=address.user,
        password=address.password,
        host=None if address.path else address.host,
        port=None if address.path else address.port,
        database=address.name,
        query={"host": address.path, "port": str(address.port)} if address.path else {},
    )


def with_children() -> Any:
    """Return the query of a read."""
    return select(ParentRow).options(selectinload(ParentRow.children)).limit(READ)


class SyncStrategy:
    """One operation after the other, on psycopg2."""

    POOL: ClassVar[dict[str, Any]] = {}

    def __init__(self, address: Address) -> None:
        self._engine: Engine = create_engine(
            url(address, "psycopg2"),
            connect_args={"application_name": NAME.format(os.getpid())},
            **self.POOL,
        )
        self._sessions = sessionmaker(self._engine)

    async def prepare(self) -> None:
        with self._engine.begin() as connection:
            connection.execute(MAKE_SCHEMA)
            ToolbenchBase.metadata.create_all(connection)

    async def example(self) -> list[list[Any]]:
        await self.empty()
        self._write(EXAMPLE)
        with self._sessions() as session:
            return shown(self._found(session))

    async def empty(self) -> None:
        with self._engine.begin() as connection:
            connection.execute(EMPTY)

    async def do(self, work: Workload, at_a_time: int, log: Log, until: int) -> None:
        """Do one operation at a time, whatever `at_a_time` is."""
        for one in work:
            begun = clock()
            if begun > until:
                raise TimeoutError
            try:
                rows = self._read() if one is None else self._write(one)
            except Exception as error:  # noqa: BLE001 - any error is one failed operation
                log.failed(error)
            else:
                log.done(begun, rows)

    def _write(self, data: int) -> int:
        with self._sessions() as session, session.begin():
            session.add_all(family(data))
        return WRITTEN

    def _read(self) -> int:
        with self._sessions() as session:
            return loaded(self._found(session))

    def _found(self, session: Session) -> list[ParentRow]:
        return list(session.scalars(with_children()))

    async def close(self) -> None:
        self._engine.dispose()


class AsyncStrategy:
    """Many operations at a time, on asyncpg: each has a session, with a connection of the pool."""

    def __init__(self, address: Address, schedule: Schedule, bound: bool = False) -> None:
        """If `bound`, the pool has as many connections as operations run at a time."""
        self._schedule = schedule
        self._bound = bound
        self._url = url(address, "asyncpg")
        # This engine makes and empties the tables. The pool of the workload is made by its load,
        # which says how many operations run at a time.
        self._aside = self._engine(1, "toolbench-sqlalchemy-aside")
        self._most = 0
        self._pools: dict[int, AsyncEngine] = {}

    async def prepare(self) -> None:
        async with self._aside.begin() as connection:
            await connection.execute(MAKE_SCHEMA)
            await connection.run_sync(ToolbenchBase.metadata.create_all)
            self._most = max(1, int((await connection.scalar(MOST_CONNECTIONS)) or 0) - SPARE)

    async def example(self) -> list[list[Any]]:
        for engine in self._pools.values():
            await engine.dispose()
        await self.empty()
        sessions = async_sessionmaker(self._aside, expire_on_commit=False)
        await self._write(sessions, EXAMPLE)
        async with sessions() as session:
            return shown(await self._found(session))

    async def empty(self) -> None:
        async with self._aside.begin() as connection:
            await connection.execute(EMPTY)

    async def do(self, work: Workload, at_a_time: int, log: Log, until: int) -> None:
        engine = await self._begin(at_a_time)
        sessions = async_sessionmaker(engine, expire_on_commit=False)

        async def one(data: int | None) -> None:
            begun = clock()
            try:
                doing = self._read(sessions) if data is None else self._write(sessions, data)
                rows = await doing
            except Exception as error:  # noqa: BLE001 - any error is one failed operation
                log.failed(error)
            else:
                log.done(begun, rows)

        async with asyncio.timeout((until - clock()) / 1e9):
            await self._schedule(work, one, at_a_time)

    async def _begin(self, at_a_time: int) -> AsyncEngine:
        """Return the engine of a load."""
        return self._pool(self._size(at_a_time))

    def _size(self, at_a_time: int) -> int:
        """Return the size of the pool: all that the database allows, if nothing else bounds it."""
        return min(at_a_time, self._most) if self._bound else self._most

    async def _write(self, sessions: async_sessionmaker[AsyncSession], data: int) -> int:
        async with sessions() as session, session.begin():
            session.add_all(family(data))
        return WRITTEN

    async def _read(self, sessions: async_sessionmaker[AsyncSession]) -> int:
        async with sessions() as session:
            return loaded(await self._found(session))

    async def _found(self, session: AsyncSession) -> list[ParentRow]:
        return list(await session.scalars(with_children()))

    def _pool(self, size: int, over: int = 0) -> AsyncEngine:
        """Return the pool of a size, the same one each time."""
        if size not in self._pools:
            self._pools[size] = self._engine(size, over=over)
        return self._pools[size]

    def _engine(self, size: int, name: str = "", over: int = 0) -> AsyncEngine:
        return create_async_engine(
            self._url,
            pool_size=size,
            max_overflow=over,
            pool_timeout=TIMEOUTS.pool_turn,
            connect_args={
                "server_settings": {"application_name": name or NAME.format(os.getpid())}
            },
        )

    async def close(self) -> None:
        for engine in (self._aside, *self._pools.values()):
            await engine.dispose()


def tasks(address: Address) -> AsyncStrategy:
    """Return the strategy with a task for each operation."""
    return AsyncStrategy(address, schedules.tasks)


def chunks(address: Address) -> AsyncStrategy:
    """Return the strategy that works chunk by chunk."""
    return AsyncStrategy(address, schedules.chunks)


def bounded(address: Address) -> AsyncStrategy:
    """Return the strategy with a semaphore, and a pool of that many connections."""
    return AsyncStrategy(address, schedules.bounded, bound=True)


def loaded(parents: list[ParentRow]) -> int:
    """Return how many rows were loaded of both tables; each is looked at, as a user would."""
    return sum(1 + len(parent.children) for parent in parents)


def shown(parents: list[ParentRow]) -> list[list[Any]]:
    """Return each parent's text and the number of its children."""
    return [[parent.data, len(parent.children)] for parent in parents]
