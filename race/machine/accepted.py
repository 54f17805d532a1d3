"""Counts the connections that each worker of a server has, in the middle of a load."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

from race.machine.proc import tree
from race.machine.sockets import accepted


@contextmanager
def counted(pid: int, port: int, seconds: float) -> Iterator[list[int]]:
    """Count once, so many seconds after the start; the list stays empty if it ends before.

    The kernel is asked, not the server, which takes this process a millisecond or two.
    """
    found: list[int] = []

    def count() -> None:
        found.extend(accepted(port, tree(pid)))

    timer = Timer(seconds, count)
    timer.daemon = True
    timer.start()
    try:
        yield found
    finally:
        timer.cancel()
        timer.join()
