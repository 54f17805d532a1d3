"""The article's workload: the requests of each page, and its connections."""

from __future__ import annotations

from typing import Awaitable, Callable, List, Tuple

from data_interface.store import Data, Store
from databases.wire import Tap, Wire
from tests.support.stores.bench import NOW, VISITOR, Bench

AXES = "every mode"

KNOWN = ("0123456789abcdef" * 2, "127.0.0.1", "a test")
Page = Callable[[Data], Awaitable[object]]

PAGES = {
    "Index, new visitor": (9, lambda data: data.ballot(VISITOR)),
    "Index, returning visitor": (8, lambda data: data.ballot(KNOWN)),
    "Good, new visitor": (3, lambda data: data.podium(VISITOR, 9, True)),
    "Good, returning visitor": (2, lambda data: data.podium(KNOWN, 9, True)),
    "Bad, new visitor": (3, lambda data: data.podium(VISITOR, 9, False)),
    "Bad, returning visitor": (2, lambda data: data.podium(KNOWN, 9, False)),
    "vote": (1, lambda data: data.cast_vote("0" * 32, "1" * 32, 7, NOW)),
    "report 1, today": (5, lambda data: data.today(NOW)),
    "report 2, newest": (5, lambda data: data.newest(NOW)),
    "report 3, ratings": (6, lambda data: data.ratings(NOW)),
    "report 4, ranking": (7, lambda data: data.ranking(NOW)),
    "report 5, voters": (7, lambda data: data.voters(NOW)),
    "statistics": (1, lambda data: data.statistics()),
    "packs": (1, lambda data: data.packs()),
    "a sticker": (1, lambda data: data.sticker(1, 1)),
}


def upkeep(bench: Bench, requests: int) -> int:
    """Return how many requests about connections a driver sends on a page of so many requests.

    asyncpg's pool resets each returned connection; asynctnt fetches the schema with each new
    one.
    """
    if bench.plugin.needs == ("asynctnt",):
        return 2 * {"multi": 1, "query": requests}.get(bench.connection, 0)
    return int(bench.plugin.needs == ("asyncpg",) and bench.connection == "pool")


async def test_requests_on_the_wire(bench: Bench) -> None:
    """The article's number of requests for each page, and its connections, in every mode."""
    wrong = await miscounted(bench)
    if wrong:
        # One ballot in 16,200 draws the same sticker twice, and then once more.
        wrong = await miscounted(bench)
    assert not wrong


async def miscounted(bench: Bench) -> List[Tuple[str, str, int, int]]:
    """Return the pages with a wrong count: page, what, expected, counted.

    Reports are asked for once, as they take long; other pages a second time, since the first one
    opens connections: ``multi`` opens one for each page, ``query`` one for each request.
    """
    wrong = []
    async with bench.watched() as (wire, store):
        for name, (articles, page) in PAGES.items():
            requests = 1 if bench.plugin.whole_pages and name.endswith("visitor") else articles
            opened = {"multi": 1, "query": requests}.get(bench.connection, 0)
            for turn in range(1 if name.startswith("report") else 2):
                taps = await asked_by(wire, store, page)
                counts = [
                    ("requests", requests, sum(len(tap.requests) for tap in taps)),
                    ("upkeep", upkeep(bench, requests), sum(tap.upkeep for tap in taps)),
                ]
                if turn:
                    counts.append(("new connections", opened, sum(tap.new for tap in taps)))
                    counts.append(("connections", opened or 1, len(taps)))
                wrong += [(name, *one) for one in counts if one[1] != one[2]]
    return wrong


async def asked_by(wire: Wire, store: Store, page: Page) -> List[Tap]:
    """Return the connections that one page used, with their requests."""
    wire.forget()
    async with store.acquire() as data:
        await page(data)
    return wire.asked()
