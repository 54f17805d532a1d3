"""How often a page waits for PostgreSQL, by how its requests are sent."""

from __future__ import annotations

import pytest

from data_interface import HOUSEKEEPING
from data_interface.store import Store
from databases import find
from databases.wire import Wire, tapped
from tests.live.databases.on_sql import opened
from tests.live.databases.test_postgres import new_database
from tests.live.stores.test_wire import PAGES, Page, asked_by

DATABASE = "postgres"
# In the order of PAGES: Index, Good and Bad, each for a new and a returning visitor, and a vote.
ROUND_TRIPS = {
    "postgres": [9, 8, 3, 2, 3, 2, 1],
    "psycopg": [9, 8, 3, 2, 3, 2, 1],
    "psycopgpipeline": [2, 2, 2, 1, 2, 1, 1],
    "postgresfunc": [1, 1, 1, 1, 1, 1, 1],
}


@pytest.mark.parametrize("backend", ROUND_TRIPS)
async def test_the_round_trips_of_a_page(backend: str, server: str) -> None:
    pages = [page for _, page in PAGES.values()][: len(ROUND_TRIPS[backend])]
    found = find(DATABASE)
    async with (
        new_database(server) as url,
        tapped(found, url, HOUSEKEEPING) as wire,
        opened(backend, wire.url, "one") as store,
    ):
        # Drivers prepare a statement at its first or fifth use, which may take a round trip.
        for _ in range(5):
            counts = [await round_trips(wire, store, page) for page in pages]
        assert counts == ROUND_TRIPS[backend]


async def round_trips(wire: Wire, store: Store, page: Page) -> int:
    """Return how often a page waited for the database, on the one connection that it uses."""
    (tap,) = await asked_by(wire, store, page)
    return tap.round_trips
