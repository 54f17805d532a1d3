"""What the modes do, for somebody outside of the server: pages, waits, requests. Off by default.

With SITE_FIGURES set to a folder, each process of the server writes ``<its id>.json`` there once a
second: {"pages", "requests", "waiting"}, the first two since it began. Without it nothing is
wrapped, and nobody pays for what is not looked at.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from pathlib import Path
from typing import Any, Awaitable, Callable, Dict, Optional

from data_interface.driver import Driver
from data_interface.store import Data
from data_interface.unit import Mode, Unit

VARIABLE = "SITE_FIGURES"
EVERY_SECONDS = 1.0

Take = Callable[[Unit], Awaitable[Any]]


class Figures:
    """Counts of one process: ``waiting`` are the pages that wait for a connection now."""

    def __init__(self) -> None:
        self.pages = 0
        self.requests = 0
        self.waiting = 0

    def waits(self, take: Take) -> Any:
        """``Mode.take``, with those in it counted."""

        async def waiting(unit: Unit) -> Any:
            self.waiting += 1
            try:
                return await take(unit)
            finally:
                self.waiting -= 1

        return waiting

    def begins(self, ready: Callable[[Unit], Optional[Data]]) -> Any:
        """``Mode.ready``, each call a page that asks the database."""

        def beginning(unit: Unit) -> Optional[Data]:
            self.pages += 1
            return ready(unit)

        return beginning

    def write(self, folder: Path) -> None:
        """As a whole, so that nobody reads half of it."""
        counts: Dict[str, int] = vars(self)
        path = folder / f"{os.getpid()}.json"
        fresh = path.with_suffix(".new")
        # Who looks may be gone, with the folder: the site goes on.
        with contextlib.suppress(OSError):
            fresh.write_text(json.dumps(counts))
            fresh.replace(path)


class Counted:
    """A driver whose requests are counted: everything else is its own."""

    def __init__(self, driver: Driver, figures: Figures) -> None:
        self._driver = driver
        self._figures = figures

    def __getattr__(self, name: str) -> Any:
        return getattr(self._driver, name)

    def data(self, connection: Any) -> Any:
        """See ``driver.Driver``."""
        return self._driver.data(CountedConnection(connection, self._figures))


class CountedConnection:
    """A connection as pages see it: every call of a method is a request."""

    def __init__(self, connection: Any, figures: Figures) -> None:
        self._connection = connection
        self._figures = figures

    def __getattr__(self, name: str) -> Callable[..., Any]:
        call = getattr(self._connection, name)

        def request(*arguments: Any, **options: Any) -> Any:
            self._figures.requests += 1
            return call(*arguments, **options)

        return request


class Watched(Mode):
    """A mode that writes what it does."""

    def __init__(self, mode: Mode, figures: Figures, folder: Path) -> None:
        super().__init__(mode.driver, 0)
        self.acquire = mode.acquire
        self._mode = mode
        self._figures = figures
        self._folder = folder
        self._writing: Optional[asyncio.Future[None]] = None
        taker = mode.taker
        taker.take = figures.waits(taker.take)  # type: ignore[method-assign]
        mode.ready = figures.begins(mode.ready)  # type: ignore[method-assign]

    async def open(self) -> None:
        """See ``unit.Mode``."""
        await self._mode.open()
        self._writing = asyncio.ensure_future(self._write())

    async def close(self) -> None:
        """See ``unit.Mode``."""
        if self._writing is not None:
            self._writing.cancel()
        await self._mode.close()

    async def _write(self) -> None:
        while True:
            self._figures.write(self._folder)
            await asyncio.sleep(EVERY_SECONDS)


def watched(make: Callable[[Any], Mode], driver: Driver) -> Mode:
    """What ``make`` makes of a driver; with its figures written where SITE_FIGURES says so."""
    folder = os.environ.get(VARIABLE)
    if not folder:
        return make(driver)
    figures = Figures()
    return Watched(make(Counted(driver, figures)), figures, Path(folder))
