"""A server on japronto whose pages are one request to Tarantool each, and nothing else.

A program of its own for CPython 3.7: ``python toolbench/limits/serve.py [--driver
asynctnt|aiotarantool] [--loop uvloop|asyncio] [-p PORT]``. Like server.py it prints a line
``serving ...``, and it ends on SIGTERM.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

import asynctnt
from japronto import Application

import tarantool
from data_interface.store import StoreError
from data_interface.tarantool.aiotarantool_store import AiotarantoolDriver
from data_interface.tarantool.asynctnt_store import open_store
from databases import find
from databases.database import DatabaseError
from databases.private import join
from runtime.address import Address, AddressError
from runtime.listen import listen
from toolbench.limits.pages import check, pages, path
from toolbench.runner.protocol import new_loop
from toolbench.timeouts import TIMEOUTS

# Private are the application's `_loop`, and the connection's `_socket` in 0.5.5, for CPython 3.7.
CHECKED_VERSIONS = {"japronto": ("0.1.2",), "tarantool": ("0.5.5", "1.3.0")}


class BlockingConnection(tarantool.Connection):  # type: ignore[misc,name-defined]
    """The blocking connector, which knows no Unix sockets in the version for CPython 3.7."""

    def connect_basic(self) -> None:
        """Connect to `host`, which may be the path of a Unix socket."""
        if not self.host.startswith("/"):
            super().connect_basic()
            return
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.connect(self.host)
        self.connected = True


def connect_blocking(address: Address) -> BlockingConnection:
    """Return a connection of the blocking connector."""
    where = address.path or address.host
    return BlockingConnection(where, address.port, user=address.user, password=address.password)


async def connect_asynctnt(address: Address) -> Any:
    """Return a connection of asynctnt."""
    where, port = ("unix/", address.path) if address.path else (address.host, address.port)
    connection = asynctnt.Connection(
        host=where,
        port=port,
        username=address.user,
        password=address.password,
        connect_timeout=TIMEOUTS.connect,
        reconnect_timeout=0,
        fetch_schema=False,
        auto_refetch_schema=False,
    )
    await connection.connect()
    return connection


async def connect_aiotarantool(address: Address) -> Any:
    """Return a connection of aiotarantool, made as the site makes one."""
    return await AiotarantoolDriver(address).connect()


CONNECT = {"asynctnt": connect_asynctnt, "aiotarantool": connect_aiotarantool}


async def load_stickers(url: str) -> None:
    """Open the site's own store, which fills an empty database."""
    store = open_store("one", url, 1)
    await store.open()
    await store.close()


def serve(
    loop: Any, driver: str, url: str, sock: socket.socket, ready: Callable[[str], None]
) -> None:
    """Check the pages, then serve them until SIGTERM."""
    address = find("tarantool").address(url)
    loop.run_until_complete(load_stickers(url))
    application = Application()
    # japronto's C code reads this attribute, and nothing public sets it.
    application._loop = loop  # noqa: SLF001
    blocking = connect_blocking(address)
    connection = loop.run_until_complete(CONNECT[driver](address))
    loop.run_until_complete(check(blocking, connection))
    for page in pages(blocking, connection):
        application.router.add_route(path(page), page, "GET")
    host, port = sock.getsockname()
    loop.call_soon(ready, f"http://{host}:{port}")
    application.serve(sock=sock, host=host, port=port, reloader_pid=None)


def run(options: argparse.Namespace) -> None:
    """Serve with the private Tarantool, or that of TARANTOOL_URL."""
    sock = listen(options.port)
    about = f"(CPython {platform.python_version()}, pid {os.getpid()})"
    out = sys.stdout
    # japronto prints remarks of its own, and the harness waits for our line.
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123
    loop = new_loop(options.loop)
    asyncio.set_event_loop(loop)

    def ready(where: str) -> None:
        name = f"limits-{options.driver}-{options.loop}"
        print(f"serving {name} on {where} {about}", file=out, flush=True)

    handle = None if os.environ.get("TARANTOOL_URL") else join("tarantool")
    try:
        url = handle.url if handle else os.environ["TARANTOOL_URL"]
        serve(loop, options.driver, url, sock, ready)
    finally:
        if handle:
            handle.leave()


def main() -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--driver", choices=sorted(CONNECT), default="asynctnt")
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
