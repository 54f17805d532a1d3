"""Clients that are gone before they are answered."""

from __future__ import annotations

import contextlib
import socket
from pathlib import Path

from handlers.engine import parse
from runtime.paths import ROOT
from tests.engines.conftest import BARE, Starter, with_each
from tests.support.site_client import get
from tests.support.site_server import environment, serving, until

JAPRONTO = [name for name in BARE if parse(name).web == "japronto"]
GONE = 20
INDEX = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
# A page that ends with its client; how many have begun and ended is noted.
WAITING = """
import asyncio
import os

from handlers import pages
from handlers.web import japronto_line


async def waiting(*arguments):
    HOLES.extend(bytes(PROTOCOL_SIZE) for _ in range(500))
    os.write(NOTES, b"+")
    try:
        await asyncio.sleep(60)
    finally:
        os.write(NOTES, b"-")


# Filled, so that a protocol gets pages of its own.
HOLES, PROTOCOL_SIZE = [], japronto_line._PROTOCOL_SIZE
NOTES = os.open(os.environ["NOTES"], os.O_WRONLY | os.O_APPEND)
pages.Pages.index = waiting
# What is freed is unmapped at once: see the environment.
japronto_line.keep_large_buffers_apart = lambda: None
"""


@with_each(JAPRONTO)
def test_what_japronto_frees_is_not_touched(starter: Starter, engine: str, tmp_path: Path) -> None:
    """Its callback belongs to a part of the connection, which is freed in that callback."""
    starter.ready(engine)
    (tmp_path / "sitecustomize.py").write_text(WAITING)
    notes = tmp_path / "notes"
    notes.touch()

    def noted(note: bytes, count: int) -> None:
        until(lambda: notes.read_bytes().count(note) == count, 5.0, f"not {count} times {note!r}")

    env = environment(
        PYTHONPATH=f"{tmp_path}:{ROOT}", NOTES=str(notes), MALLOC_MMAP_THRESHOLD_="4096"
    )
    with serving(engine, env) as server:
        before = server.tree()
        with contextlib.ExitStack() as connections:
            for begun in range(GONE):
                where = ("127.0.0.1", server.port)
                connection = connections.enter_context(socket.create_connection(where, 5.0))
                connection.sendall(INDEX)
                noted(b"+", begun + 1)
        noted(b"-", GONE)
        assert get(server.url, "/ugly").body == b"UGLY"
        assert server.tree() == before
        assert server.log() == ""
        assert server.stop() == 0
