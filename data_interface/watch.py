"""Figures of a running server for a process that watches it: pages, requests, waiting pages.

If SITE_FIGURES names a folder, each process of the server writes ``<its pid>.json`` there once a
second: {"pages", "requests", "waiting"}. The first two count from the start of the process, the
third is the number of pages that wait for a connection now. Without SITE_FIGURES nothing is
counted, and no page pays for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import threading
from pathlib import Path
from typing import Any, Awaitable, Callable, Optional

from data_interface.driver import Driver
from data_interface.store import Data
from data_interface.unit import Mode, Unit

VARIABLE = "SITE_FIGURES"
EVERY_SECONDS = 1.0


class ProcessCounts:
    """The counts of one process. Its pages may run in threads, so each change holds a lock."""

    def __init__(self) -> None:
        self.counts = {"pages": 0, "requests": 0, "waiting": 0}
        self._lock = threading.Lock()

    def add(self, name: str, number: int = 1) -> None:
        """Add a number to one of the counts."""
        with self._lock:
            self.counts[name] += number

    def counting_waits(self, take: Callable[[Unit], Awaitable[Any]]) -> Any:
        """Wrap ``Mode.take``: it counts the units that are in it."""

        async def counted(unit: Unit) -> Any:
            self.add("waiting")
            try:
                return await take(unit)
            finally:
                self.add("waiting", -1)

        return counted

    def counting_pages(self, ready: Callable[[Unit], Optional[Data]]) -> Any:
        """Wrap ``Mode.ready``, which every page with a database calls once."""

        def counted(unit: Unit) -> Optional[Data]:
            self.add("pages")
            return ready(unit)

        return counted

    def write(self, folder: Path) -> None:
        """Replace the file of this process. It need not survive a crash, so nothing is synced."""
        path = folder / f"{os.getpid()}.json"
        fresh = path.with_suffix(".new")
        # The process that watches may have ended and removed its folder.
        with contextlib.suppress(OSError):
            fresh.write_text(json.dumps(self.counts))
            fresh.replace(path)


class CountingDriver:
    """A driver that counts the requests of pages; all else is the wrapped driver's."""

    def __init__(self, driver: Driver, figures: ProcessCounts) -> None:
        self._driver = driver
        self._figures = figures

    def __getattr__(self, name: str) -> Any:
        return getattr(self._driver, name)

    def data(self, connection: Any) -> Any:
        return self._driver.data(_CountingConnection(connection, self._figures))


class _CountingConnection:
    """A connection of which every method call is counted as a request."""

    def __init__(self, connection: Any, figures: ProcessCounts) -> None:
        self._connection = connection
        self._figures = figures

    def __getattr__(self, name: str) -> Callable[..., Any]:
        call = getattr(self._connection, name)

        def request(*arguments: Any, **options: Any) -> Any:
            self._figures.add("requests")
            return call(*arguments, **options)

        return request


class WatchedMode(Mode):
    """A connection mode that writes its figures while it is open."""

    def __init__(self, mode: Mode, figures: ProcessCounts, folder: Path) -> None:
        super().__init__(mode.driver, 0)
        self.acquire = mode.acquire
        self._mode = mode
        self._figures = figures
        self._folder = folder
        self._writing: Optional[asyncio.Future[None]] = None
        waiting = mode.waiting_mode
        waiting.take = figures.counting_waits(waiting.take)  # type: ignore[method-assign]
        mode.ready = figures.counting_pages(mode.ready)  # type: ignore[method-assign]

    async def open(self) -> None:
        await self._mode.open()
        self._writing = asyncio.ensure_future(self._write())

    async def close(self) -> None:
        if self._writing is not None:
            self._writing.cancel()
        await self._mode.close()

    async def _write(self) -> None:
        while True:
            self._figures.write(self._folder)
            await asyncio.sleep(EVERY_SECONDS)


def watched(make: Callable[[Any], Mode], driver: Driver) -> Mode:
    """Return what ``make`` makes of a driver, watched if SITE_FIGURES names a folder."""
    folder = os.environ.get(VARIABLE)
    if not folder:
        return make(driver)
    figures = ProcessCounts()
    return WatchedMode(make(CountingDriver(driver, figures)), figures, Path(folder))
