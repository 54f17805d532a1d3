"""Requests of reports are bounded on each connection to Tarantool."""

from __future__ import annotations

import asyncio
from typing import Any, List

from data_interface.tarantool.data import TarantoolData
from data_interface.tarantool.reports import MOST_AT_ONCE

NEWEST_REQUESTS = 5


class Slow:
    """A connection that answers when it is told to."""

    def __init__(self) -> None:
        self.sent: List[asyncio.Future[Any]] = []
        self.insert = self.update = self.upsert = self.select = self.call

    def call(self, procedure: str, arguments: Any) -> Any:
        self.sent.append(asyncio.get_event_loop().create_future())
        return self.sent[-1]


async def turns(number: int) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


async def test_a_cancelled_page_leaves_its_place_when_the_database_is_done() -> None:
    connection = Slow()
    data = TarantoolData(connection)
    pages = []
    for passed in range(MOST_AT_ONCE):
        page = asyncio.ensure_future(data.newest(0))
        pages.append(page)
        # Some have just sent their requests, some wait for the answers.
        await turns(passed % 4)
        page.cancel()
    await turns(5)
    assert all(page.done() for page in pages)
    assert len(connection.sent) == MOST_AT_ONCE
    waiting = asyncio.ensure_future(data.newest(0))
    await turns(5)
    assert len(connection.sent) == MOST_AT_ONCE
    for request in list(connection.sent):
        request.set_exception(OSError())
    await turns(5)
    assert len(connection.sent) == MOST_AT_ONCE + NEWEST_REQUESTS
    waiting.cancel()
    await turns(5)
