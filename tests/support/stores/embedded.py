"""A database that runs in the processes that use it: its statements, and its lock."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from typing import Any, AsyncIterator, Callable, Iterator, List, Tuple

from data_interface.store import Store
from databases.wire import Tap

CLEANED_SECONDS = 15.0


class Trace:
    """The statements of pages by connection, with the calls of ``databases.wire.Wire``."""

    def __init__(self) -> None:
        self._taps: List[Tap] = []

    def tap(self) -> Callable[[str], None]:
        """Return a function that notes each statement of a new connection."""
        tap = Tap(b"")
        self._taps.append(tap)

        def note(statement: str) -> None:
            # The statements of a trigger come as comments.
            if not statement.startswith("--"):
                tap.note("statement", b"")

        return note

    def forget(self) -> None:
        """Begin the count anew."""
        for tap in self._taps:
            tap.requests.clear()
            tap.new = False

    def asked(self) -> List[Tap]:
        """Return the connections with statements since the count began."""
        return [tap for tap in self._taps if tap.requests]


@contextlib.asynccontextmanager
async def traced(store: Any) -> AsyncIterator[Tuple[Any, Store]]:
    """Open a store whose pages' statements are noted as SQLite itself tells of them.

    The store's first cleaning has ended: a page that finds its lock sends a statement twice.
    """
    trace, driver, upkeep = Trace(), store._driver, store._upkeep
    connect = driver.connect
    cleaned = asyncio.Event()

    async def clean(connection: Any) -> None:
        await upkeep.clean(connection)
        cleaned.set()

    async def traced_connect() -> Any:
        connection = await connect()
        await connection.raw.set_trace_callback(trace.tap())
        return connection

    driver.connect = traced_connect
    store._upkeep = upkeep._replace(clean=clean)
    await store.open()
    try:
        await asyncio.wait_for(cleaned.wait(), CLEANED_SECONDS)
        yield trace, store
    finally:
        await store.close()


@contextlib.contextmanager
def locked_file(path: str) -> Iterator[None]:
    """Hold the lock for writing, as another process may, for the length of the block."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
    finally:
        connection.close()


def needs_server(test: Any) -> Any:
    """Mark a test that is about a database in a process of its own."""
    test.needs_server = True
    return test
