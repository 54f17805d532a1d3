"""The reporting section: five pages about the votes of a month. They read and keep nothing."""

from __future__ import annotations

from data_interface.reports.rows import Report
from data_interface.store import Store
from handlers.exchange import Page, Visit, page
from handlers.render.renderer import Renderer
from runtime.clock import Clock


class Reports:
    """What ``/reports/1`` to ``/reports/5`` answer: two light pages, then three heavy ones."""

    def __init__(self, store: Store, renderer: Renderer, clock: Clock) -> None:
        self._store = store
        self._renderer = renderer
        self._clock = clock

    async def today(self, visit: Visit) -> Page:
        """The day so far, beside the day before."""
        now = self._clock()
        async with self._store.acquire() as data:
            found = await data.today(now)
        return self._page(found, now)

    async def newest(self, visit: Visit) -> Page:
        """The last votes, and how fast they come."""
        now = self._clock()
        async with self._store.acquire() as data:
            found = await data.newest(now)
        return self._page(found, now)

    async def ratings(self, visit: Visit) -> Page:
        """How ratings are distributed."""
        now = self._clock()
        async with self._store.acquire() as data:
            found = await data.ratings(now)
        return self._page(found, now)

    async def ranking(self, visit: Visit) -> Page:
        """Packs by what they gained, with their trend."""
        now = self._clock()
        async with self._store.acquire() as data:
            found = await data.ranking(now)
        return self._page(found, now)

    async def voters(self, visit: Visit) -> Page:
        """Voters by hour, and by how often they come back."""
        now = self._clock()
        async with self._store.acquire() as data:
            found = await data.voters(now)
        return self._page(found, now)

    def _page(self, found: Report, now: int) -> Page:
        return page(self._renderer.report(found, now))
