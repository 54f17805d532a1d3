"""The store in memory passes the tests of every store, and a few of its own."""

# ruff: noqa: F403
from data_interface.store import NotFound
from tests.live.stores.test_bounds import *
from tests.live.stores.test_data import *
from tests.live.stores.test_reports import *
from tests.live.stores.test_votes import *
from tests.support.stores.bench import Bench, new_ballot, raises


async def test_an_empty_site_has_no_ballot(bench: Bench) -> None:
    async with bench.store() as store, store.acquire() as data:
        for pack in await data.packs():
            for sticker in await data.stickers(pack.id):
                if sticker.id > 1:
                    await data.delete_sticker(pack.id, sticker.id)
        await raises(NotFound, new_ballot(store))
