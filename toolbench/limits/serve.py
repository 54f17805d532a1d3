"""One database request for each page on japronto, and nothing else: what Tarantool allows at best.

A program of its own for CPython 3.7, started like server.py:
``python toolbench/limits/serve.py [--driver asynctnt|aiotarantool] [--loop uvloop|asyncio]
[-p PORT]``. It prints server.py's ``serving ...`` line and ends on SIGTERM.

``/select-sync`` reads the nine best stickers with the blocking connector, ``/select-async`` the
same with the driver and an iterator, ``/select-async-lite`` any nine without one,
``/upsert-async`` counts a visit of a session. The answer is always ``ok``: the rows are read and
thrown away. Which they are is looked at once, before it serves, and that a visit is counted.
"""

from __future__ import annotations

import argparse
import asyncio
import inspect
import os
import platform
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

import asynctnt  # noqa: E402 - the project's folder is on the path only now
from japronto import Application  # noqa: E402

import tarantool  # noqa: E402
from data_interface.store import StoreError  # noqa: E402
from data_interface.tarantool.aiotarantool_store import AiotarantoolDriver  # noqa: E402
from data_interface.tarantool.asynctnt_store import open_store  # noqa: E402
from data_interface.tarantool.layout import (  # noqa: E402
    BY_RATING,
    DESCENDING,
    SESSIONS,
    STICKERS,
)
from databases import find  # noqa: E402
from databases.database import DatabaseError  # noqa: E402
from databases.private import join  # noqa: E402
from runtime.address import Address, AddressError  # noqa: E402
from runtime.listen import listen  # noqa: E402

ROWS = 9
MOST_STICKERS = 1_000_000
SESSION = ["limits" + "0" * 26, "127.0.0.1", "race", 1, 0]
ONE_MORE_VISIT = [["+", 3, 1]]


class Blocking(tarantool.Connection):  # type: ignore[misc,name-defined]
    """The blocking connector, which in this version knows no Unix sockets."""

    def connect_basic(self) -> None:
        """Connect to `host` when it is a path, else as the connector does."""
        if not self.host.startswith("/"):
            super().connect_basic()
            return
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.connect(self.host)
        self.connected = True


def blocking(address: Address) -> Blocking:
    """A connection of the blocking connector."""
    where = address.path or address.host
    return Blocking(where, address.port, user=address.user, password=address.password)


async def by_asynctnt(address: Address) -> Any:
    """A connection of asynctnt."""
    where, port = ("unix/", address.path) if address.path else (address.host, address.port)
    connection = asynctnt.Connection(
        host=where,
        port=port,
        username=address.user,
        password=address.password,
        connect_timeout=5,
        reconnect_timeout=0,
        fetch_schema=False,
        auto_refetch_schema=False,
    )
    await connection.connect()
    return connection


async def by_aiotarantool(address: Address) -> Any:
    """A connection of aiotarantool, as the site makes one: by itself it knows no Unix sockets."""
    return await AiotarantoolDriver(address).connect()


MULTIPLEXED = {"asynctnt": by_asynctnt, "aiotarantool": by_aiotarantool}


def pages(rows: Any, connection: Any) -> list[Any]:
    """The four, those that read first."""

    def select_sync(request: Any) -> Any:
        rows.select(STICKERS, [], index=BY_RATING, limit=ROWS, iterator=DESCENDING)
        return request.Response(text="ok")

    async def select_async(request: Any) -> Any:
        await connection.select(STICKERS, [], index=BY_RATING, limit=ROWS, iterator=DESCENDING)
        return request.Response(text="ok")

    async def select_async_lite(request: Any) -> Any:
        await connection.select(STICKERS, limit=ROWS)
        return request.Response(text="ok")

    async def upsert_async(request: Any) -> Any:
        await connection.upsert(SESSIONS, SESSION, ONE_MORE_VISIT)
        return request.Response(text="ok")

    return [select_sync, select_async, select_async_lite, upsert_async]


def path(page: Any) -> str:
    """Where a page is."""
    return f"/{page.__name__.replace('_', '-')}"


class Noting:
    """A connection of which the last rows are kept."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.answer: Any = None

    def select(self, *words: Any, **options: Any) -> Any:
        """As the connection's own; that of an asynchronous one is awaited."""
        answer = self._connection.select(*words, **options)
        if not inspect.isawaitable(answer):
            self.answer = answer
            return answer
        return self._noted(answer)

    def upsert(self, *words: Any) -> Any:
        """As the connection's own, which answers nothing."""
        return self._connection.upsert(*words)

    async def _noted(self, answer: Any) -> Any:
        self.answer = await answer
        return self.answer


async def look(rows: Any, connection: Any) -> None:
    """StoreError where a page does not read its nine rows, or does not count its visit.

    Not the pages that are served, which are as fast as can be, but the same on other connections.
    What they must read is sorted here, from all stickers.
    """
    request = SimpleNamespace(Response=dict)
    one, other = Noting(rows), Noting(connection)
    select_sync, select_async, select_async_lite, upsert_async = pages(one, other)
    every = [tuple(row) for row in await connection.select(STICKERS, limit=MOST_STICKERS)]
    best = sorted(every, key=lambda row: (row[3], row[0]), reverse=True)
    select_sync(request)
    _compare(select_sync, one.answer, best)
    await select_async(request)
    _compare(select_async, other.answer, best)
    await select_async_lite(request)
    _compare(select_async_lite, other.answer, sorted(every))
    # The first one makes the session where there is none.
    await upsert_async(request)
    before = await _visits(connection)
    await upsert_async(request)
    counted = await _visits(connection) - before
    if counted != 1:
        raise StoreError(f"{path(upsert_async)} counts {counted} visits, not 1")


def _compare(page: Any, found: Any, wanted: list[Any]) -> None:
    rows = [tuple(row) for row in found]
    if len(rows) != ROWS:
        raise StoreError(f"{path(page)} reads {len(rows)} rows, not {ROWS}")
    if rows != wanted[:ROWS]:
        raise StoreError(f"{path(page)} reads other rows than it should")


async def _visits(connection: Any) -> int:
    """Of the pages' session."""
    return int((await connection.select(SESSIONS, SESSION[:1]))[0][3])


async def load_stickers(url: str) -> None:
    """The site's own store fills an empty database when it opens."""
    store = open_store("one", url, 1)
    await store.open()
    await store.close()


def serve(
    loop: Any, driver: str, url: str, sock: socket.socket, ready: Callable[[str], None]
) -> None:
    """Serve until SIGTERM."""
    address = find("tarantool").address(url)
    loop.run_until_complete(load_stickers(url))
    application = Application()
    application._loop = loop  # noqa: SLF001 - japronto takes no loop in another way
    rows, connection = blocking(address), loop.run_until_complete(MULTIPLEXED[driver](address))
    loop.run_until_complete(look(rows, connection))
    for page in pages(rows, connection):
        application.router.add_route(path(page), page, "GET")
    host, port = sock.getsockname()
    loop.call_soon(ready, f"http://{host}:{port}")
    application.serve(sock=sock, host=host, port=port, reloader_pid=None)


def new_loop(name: str) -> Any:
    """An event loop of that name."""
    if name == "uvloop":
        import uvloop

        return uvloop.new_event_loop()
    return asyncio.new_event_loop()


def run(options: argparse.Namespace) -> None:
    """Start, serve, stop."""
    sock = listen(options.port)
    about = f"(CPython {platform.python_version()}, pid {os.getpid()})"
    out = sys.stdout
    # japronto's own remarks would come before the one line that is waited for.
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123
    loop = new_loop(options.loop)
    asyncio.set_event_loop(loop)

    def say(where: str) -> None:
        name = f"limits-{options.driver}-{options.loop}"
        print(f"serving {name} on {where} {about}", file=out, flush=True)

    handle = None if os.environ.get("TARANTOOL_URL") else join("tarantool")
    try:
        url = handle.url if handle else os.environ["TARANTOOL_URL"]
        serve(loop, options.driver, url, sock, say)
    finally:
        if handle:
            handle.leave()


def main() -> int:
    """The command; the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--driver", choices=sorted(MULTIPLEXED), default="asynctnt")
    parser.add_argument("--loop", choices=("uvloop", "asyncio"), default="uvloop")
    parser.add_argument("-p", "--port", type=int, default=0)
    try:
        run(parser.parse_args())
    except (OSError, AddressError, StoreError, DatabaseError) as error:
        print(f"serve.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
