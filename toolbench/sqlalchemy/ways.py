"""The four ways, as users of SQLAlchemy write them: the same operations, scheduled differently."""

from __future__ import annotations

import asyncio
import os
from typing import Any, Protocol

from sqlalchemy import URL, Engine, create_engine, select, text
from sqlalchemy.ext.asyncio import (
    AsyncEngine,
    AsyncSession,
    async_sessionmaker,
    create_async_engine,
)
from sqlalchemy.orm import Session, selectinload, sessionmaker

from toolbench.driver import Address
from toolbench.sqlalchemy import schedules
from toolbench.sqlalchemy.log import Log, clock
from toolbench.sqlalchemy.models import Base, Child, Parent, family
from toolbench.sqlalchemy.schedules import Schedule
from toolbench.sqlalchemy.workload import EXAMPLE, NAME, READ, SCHEMA, WRITTEN, Work

KEPT = 10
"""Connections that are left to others: the harness, whoever looks."""
WAIT_SECONDS = 60
"""For a connection of the pool: twice SQLAlchemy's default, for it may be thousands who wait."""

MAKE_SCHEMA = text(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
EMPTY = text(f"TRUNCATE {Child.__table__}, {Parent.__table__} RESTART IDENTITY")
ROOM = text("""
    SELECT sum(CASE name WHEN 'max_connections' THEN setting::int ELSE -(setting::int) END)
    FROM pg_settings WHERE name IN
        ('max_connections', 'superuser_reserved_connections', 'reserved_connections')""")
"""How many connections the database has for everybody."""


class Way(Protocol):
    """One way to do the workload. One that blocks does so in its coroutines."""

    async def prepare(self) -> None:
        """Connect, and make the tables where they are missing."""

    async def example(self) -> list[list[Any]]:
        """One write into empty tables and one read: what that found (`EXAMPLE_ROWS`). Closes what a
        load has opened: who is at rest holds one connection.
        """

    async def empty(self) -> None:
        """Empty the tables."""

    async def do(self, work: Work, at_a_time: int, log: Log, until: int) -> None:
        """All of the work; TimeoutError when it is not done by then."""

    async def close(self) -> None:
        """End all connections; what comes then makes new ones."""


def url(address: Address, driver: str) -> URL:
    """SQLAlchemy's own form of an address; a Unix socket's folder takes the place of the host."""
    return URL.create(
        f"postgresql+{driver}",
        username=address.user,
        password=address.password,
        host=None if address.path else address.host,
        port=None if address.path else address.port,
        database=address.database,
        query={"host": address.path, "port": str(address.port)} if address.path else {},
    )


def with_children() -> Any:
    """What a read asks for."""
    return select(Parent).options(selectinload(Parent.children)).limit(READ)


class Sync:
    """One operation after the other, on psycopg2."""

    def __init__(self, address: Address) -> None:
        self._engine: Engine = create_engine(
            url(address, "psycopg2"), connect_args={"application_name": NAME.format(os.getpid())}
        )
        self._sessions = sessionmaker(self._engine)

    async def prepare(self) -> None:
        """See ``Way``."""
        with self._engine.begin() as connection:
            connection.execute(MAKE_SCHEMA)
            Base.metadata.create_all(connection)

    async def example(self) -> list[list[Any]]:
        """See ``Way``."""
        await self.empty()
        self._write(EXAMPLE)
        with self._sessions() as session:
            return shown(self._found(session))

    async def empty(self) -> None:
        """See ``Way``."""
        with self._engine.begin() as connection:
            connection.execute(EMPTY)

    async def do(self, work: Work, at_a_time: int, log: Log, until: int) -> None:
        """See ``Way``; `at_a_time` is one."""
        for one in work:
            begun = clock()
            if begun > until:
                raise TimeoutError
            try:
                rows = self._read() if one is None else self._write(one)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is one failed operation
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

    def _found(self, session: Session) -> list[Parent]:
        return list(session.scalars(with_children()))

    async def close(self) -> None:
        """See ``Way``."""
        self._engine.dispose()


class Async:
    """Many operations at a time, on asyncpg: a session for each, its connection from one pool."""

    def __init__(self, address: Address, schedule: Schedule, bound: bool = False) -> None:
        """`bound`: the pool has as many connections as operations are at work at a time."""
        self._schedule = schedule
        self._bound = bound
        self._url = url(address, "asyncpg")
        # It makes the tables and empties them; the pool of the workload is made when it is known
        # how many are at work at a time.
        self._aside = self._engine(1, "toolbench-sqlalchemy-aside")
        self._room = 0
        self._pools: dict[int, AsyncEngine] = {}

    async def prepare(self) -> None:
        """See ``Way``."""
        async with self._aside.begin() as connection:
            await connection.execute(MAKE_SCHEMA)
            await connection.run_sync(Base.metadata.create_all)
            self._room = max(1, int((await connection.scalar(ROOM)) or 0) - KEPT)

    async def example(self) -> list[list[Any]]:
        """See ``Way``."""
        for engine in self._pools.values():
            await engine.dispose()
        await self.empty()
        sessions = async_sessionmaker(self._aside, expire_on_commit=False)
        await self._write(sessions, EXAMPLE)
        async with sessions() as session:
            return shown(await self._found(session))

    async def empty(self) -> None:
        """See ``Way``."""
        async with self._aside.begin() as connection:
            await connection.execute(EMPTY)

    async def do(self, work: Work, at_a_time: int, log: Log, until: int) -> None:
        """See ``Way``."""
        engine = self._pool(self._size(at_a_time))
        sessions = async_sessionmaker(engine, expire_on_commit=False)

        async def one(data: int | None) -> None:
            begun = clock()
            try:
                doing = self._read(sessions) if data is None else self._write(sessions, data)
                rows = await doing
            except Exception as error:  # noqa: BLE001 - whatever it is, it is one failed operation
                log.failed(error)
            else:
                log.done(begun, rows)

        async with asyncio.timeout((until - clock()) / 1e9):
            await self._schedule(work, one, at_a_time)

    def _size(self, at_a_time: int) -> int:
        """Of the pool: as large as the database allows, where nothing else bounds it."""
        return min(at_a_time, self._room) if self._bound else self._room

    async def _write(self, sessions: async_sessionmaker[AsyncSession], data: int) -> int:
        async with sessions() as session, session.begin():
            session.add_all(family(data))
        return WRITTEN

    async def _read(self, sessions: async_sessionmaker[AsyncSession]) -> int:
        async with sessions() as session:
            return loaded(await self._found(session))

    async def _found(self, session: AsyncSession) -> list[Parent]:
        return list(await session.scalars(with_children()))

    def _pool(self, size: int) -> AsyncEngine:
        """The same one again."""
        if size not in self._pools:
            self._pools[size] = self._engine(size)
        return self._pools[size]

    def _engine(self, size: int, name: str = "") -> AsyncEngine:
        return create_async_engine(
            self._url,
            pool_size=size,
            max_overflow=0,
            pool_timeout=WAIT_SECONDS,
            connect_args={
                "server_settings": {"application_name": name or NAME.format(os.getpid())}
            },
        )

    async def close(self) -> None:
        """See ``Way``."""
        for engine in (self._aside, *self._pools.values()):
            await engine.dispose()


def tasks(address: Address) -> Async:
    """A task for each operation."""
    return Async(address, schedules.tasks)


def chunks(address: Address) -> Async:
    """Chunk by chunk."""
    return Async(address, schedules.chunks)


def bounded(address: Address) -> Async:
    """A TaskGroup and a semaphore, and a pool of that many connections."""
    return Async(address, schedules.bounded, bound=True)


def loaded(parents: list[Parent]) -> int:
    """Rows of both tables: each is looked at, as who asked for it would."""
    return sum(1 + len(parent.children) for parent in parents)


def shown(parents: list[Parent]) -> list[list[Any]]:
    """A text of each and how many children it has."""
    return [[parent.data, len(parent.children)] for parent in parents]
