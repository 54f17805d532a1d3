"""The article's workload: what each page asks, and over how many connections."""

from __future__ import annotations

from typing import Awaitable, Callable, Dict, List, Tuple

from data_interface import HOUSEKEEPING
from data_interface.store import Data, Store
from databases.wire import Tap, Wire, tapped
from tests.support.stores.bench import NOW, VISITOR, Bench, new_ballot

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


def upkeep(mode: str, requests: int) -> int:
    """What a driver asks about its connections on a page of so many requests.

    asyncpg's own pool resets each that is given back, asynctnt fetches spaces and indexes with each
    that it makes.
    """
    made = {"tarantool-multi": 1, "tarantool-query": requests}
    return 2 * made.get(mode, 0) + (mode == "postgres-pool")


async def test_requests_on_the_wire(bench: Bench) -> None:
    """Exactly the article's number for each page, in every mode, the first time and later."""
    mode = f"{bench.backend}-{bench.connection}"
    expected = {name: [(each, upkeep(mode, each))] * 2 for name, (each, _) in PAGES.items()}
    counted = await count_pages(bench)
    if counted != expected:
        # One ballot in 16,200 draws the same sticker twice, and then once more.
        counted = await count_pages(bench)
    assert counted == expected


async def count_pages(bench: Bench) -> Dict[str, List[Tuple[int, int]]]:
    """The requests of every page and those about its connections, the first time and the second."""
    counted: Dict[str, List[Tuple[int, int]]] = {}
    async with tapped(bench.database, bench.url, HOUSEKEEPING) as wire, bench.store(
        url=wire.url
    ) as store:
        for name, (_, page) in PAGES.items():
            counted[name] = []
            for _ in range(2):
                taps = await asked_by(wire, store, page)
                own = sum(len(tap.requests) for tap in taps)
                counted[name].append((own, sum(tap.upkeep for tap in taps)))
    return counted


async def test_connections_of_a_page(bench: Bench) -> None:
    """``multi`` opens one a page, ``query`` one a request; the others keep theirs."""
    async with tapped(bench.database, bench.url, HOUSEKEEPING) as wire, bench.store(
        url=wire.url
    ) as store:
        await new_ballot(store)
        for expected, page in (PAGES["Index, new visitor"], PAGES["Good, returning visitor"]):
            taps = await asked_by(wire, store, page)
            new = {"multi": 1, "query": expected}.get(bench.connection, 0)
            assert sum(tap.new for tap in taps) == new
            assert len(taps) == (new or 1)


async def asked_by(wire: Wire, store: Store, page: Page) -> List[Tap]:
    """The connections that one page used, with what it asked."""
    wire.forget()
    async with store.acquire() as data:
        await page(data)
    return wire.asked()
