"""The reporting section: five pages about the votes of a month, which change nothing."""

from __future__ import annotations

from typing import Awaitable, Callable

from data_interface.reports.rows import Report
from data_interface.store import Data, Store
from handlers.exchange import Page, Visit, page
from handlers.render.renderer import Renderer
from runtime.clock import Clock

# The questions behind `/reports/1` to `/reports/5`: two light ones, then three heavy ones.
QUESTIONS: list[Callable[[Data, int], Awaitable[Report]]] = [
    lambda data, now: data.today(now),
    lambda data, now: data.newest(now),
    lambda data, now: data.ratings(now),
    lambda data, now: data.ranking(now),
    lambda data, now: data.voters(now),
]


def report(
    ask: Callable[[Data, int], Awaitable[Report]], store: Store, renderer: Renderer, clock: Clock
) -> Callable[[Visit], Awaitable[Page]]:
    """Return the page that shows the answer to a question."""

    async def respond(visit: Visit) -> Page:
        now = clock()
        async with store.acquire() as data:
            found = await ask(data, now)
        return page(renderer.report(found, now))

    return respond
