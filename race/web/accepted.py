"""Counts the connections that each worker of a server has, in the middle of a load."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from urllib.parse import urlsplit

from race.machine.proc import tree
from race.web.locust.sockets import accepted
from race.web.servers import Server


@contextmanager
def counted(server: Server, seconds: float) -> Iterator[list[int]]:
    """Count once, so many seconds after the begin; the list stays empty if that is never reached.

    The kernel is asked, not the server, which takes this process a millisecond or two.
    """
    found: list[int] = []

    def count() -> None:
        found.extend(accepted(urlsplit(server.url).port or 0, tree(server.child.pid)))

    timer = Timer(seconds, count)
    timer.daemon = True
    timer.start()
    try:
        yield found
    finally:
        timer.cancel()
        timer.join()
