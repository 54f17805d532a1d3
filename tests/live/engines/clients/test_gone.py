"""Clients that are gone before they are answered, or right after."""

from __future__ import annotations

import contextlib
import socket
from pathlib import Path

from handlers.engine import parse
from runtime.paths import ROOT
from tests.support.engines import BARE, Starter, with_each
from tests.support.faults.leaving import UNMAPPED, leave
from tests.support.site_client import get
from tests.support.site_server import environment, serving, until

JAPRONTO = [name for name in BARE if parse(name).web == "japronto"]
GONE = 20
AT_ONCE = 100
INDEX = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
# Index waits until its client leaves, About says of how many connections something is kept.
WAITING = """
import asyncio
import gc
import os
import sys

from handlers import pages
from handlers.exchange import page
from handlers.web import japronto_guard


async def waiting(*arguments):
    HOLES.extend(bytes(SIZE) for _ in range(500))
    os.write(BEGUN, b"+")
    await asyncio.sleep(60)


def kept(*arguments):
    lines = [one for one in gc.get_objects() if isinstance(one, japronto_guard.ConnectionGuard)]
    return page(b"%d" % len(lines))


# Filled, so that each protocol but the first gets pages of its own.
HOLES, SIZE = [], japronto_guard.PROTOCOL_SIZE - sys.getsizeof(b"")
BEGUN = os.open(os.environ["BEGUN"], os.O_WRONLY | os.O_APPEND)
pages.Pages.index, pages.Pages.about = waiting, kept
"""


@with_each(JAPRONTO)
def test_japronto_outlives_what_they_left(starter: Starter, engine: str, tmp_path: Path) -> None:
    """It frees a connection in a callback that is a part of it, which the loop then lets go of."""
    starter.ready(engine)
    (tmp_path / "waiting.py").write_text(WAITING)
    # Only in the interpreter that has japronto, not in the one that starts it.
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nif sys.version_info < (3, 8): import waiting\n"
    )
    begun = tmp_path / "begun"
    begun.touch()
    # What is freed is unmapped at once.
    env = environment(
        PYTHONPATH=f"{tmp_path}:{ROOT}", BEGUN=str(begun), MALLOC_MMAP_THRESHOLD_="4096"
    )

    def begins(count: int) -> None:
        until(lambda: begun.stat().st_size == count, 5.0, "a page does not begin")

    with serving(engine, env) as server:
        before = server.tree()

        def all_let_go() -> bool:
            assert server.tree() == before
            # Of the connection that asks alone.
            return get(server.url, "/about").body == b"1"

        with contextlib.ExitStack() as connections:
            for number in range(1, GONE + 1):
                where = ("127.0.0.1", server.port)
                connection = connections.enter_context(socket.create_connection(where, 5.0))
                connection.sendall(INDEX)
                begins(number)
        until(all_let_go, 5.0, "they are not let go of")
        assert server.log() == ""
        assert server.stop() == 0


@with_each(JAPRONTO)
def test_japronto_outlives_what_it_answered(starter: Starter, engine: str) -> None:
    """It frees a request together with its response, which a task still refers to."""
    starter.ready(engine)
    with serving(engine, environment(**UNMAPPED)) as server:
        answered = sum(leave(server.port, "/stickers/3", AT_ONCE) for _ in range(5))
        assert server.log() == ""
    assert answered == 5 * AT_ONCE
