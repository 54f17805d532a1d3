"""A counting relay in front of a database, for tests that run on no event loop."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterator

from data_interface import HOUSEKEEPING
from databases import find
from databases.wire import Wire, tapped

SECONDS = 10.0


@contextlib.contextmanager
def relay(name: str, url: str) -> Iterator[Wire]:
    """The wire of the database of that name at a URL; see ``databases.wire``."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    wire = tapped(find(name), url, HOUSEKEEPING)
    try:
        yield asyncio.run_coroutine_threadsafe(wire.__aenter__(), loop).result(SECONDS)
    finally:
        closing = wire.__aexit__(None, None, None)
        asyncio.run_coroutine_threadsafe(closing, loop).result(SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(SECONDS)
        loop.close()
