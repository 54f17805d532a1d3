"""The requests of the reports on Tarantool: one procedure each, in ``tarantool/reports.lua``.

Tarantool's own requests select rows but sum nothing: a month of votes would have to be sent here to
be counted. Its users write procedures for that.
"""

from __future__ import annotations

import asyncio
import inspect
from typing import Any, Callable, Sequence

from data_interface.article import Request, Rows
from data_interface.deadline import Deadline
from data_interface.pools import Gate
from data_interface.reports.article import ArticleReports
from data_interface.reports.rows import Vote
from data_interface.tarantool.layout import ASCENDING, PACKS
from data_interface.timeouts import TIMEOUTS

# The most requests of reports at once on a connection, which is more than one report has. Tarantool
# has one thread, so more would not be answered sooner, and every page would wait for all of them.
MOST_AT_ONCE = 16


class TarantoolReports(ArticleReports):
    """The reports on a connection's ``call`` and ``select``."""

    _call: Callable[..., Request]
    _select: Callable[..., Request]

    def __init__(self) -> None:
        self._gate = Gate(MOST_AT_ONCE)

    def _ask(self, procedure: str, *arguments: Any) -> Request:
        return self._call(procedure, arguments)

    def report(self, name: str, *arguments: Any) -> Request:
        if name == "titles":
            return self._select(PACKS, [], iterator=ASCENDING)
        procedure = "site_" + name
        if not self._gate.enter_at_once():
            return asyncio.ensure_future(self._later(procedure, arguments))
        request = self._send(procedure, TIMEOUTS.page, arguments)
        # A connection for each request sends them one after another, so they stay coroutines.
        return request if inspect.iscoroutine(request) else asyncio.ensure_future(_answer(request))

    def _send(self, procedure: str, seconds: float, arguments: Sequence[Any]) -> Any:
        """Send a request that has a place. The place is free again when the database is done."""
        try:
            request: Any = self._call(procedure, (seconds, *arguments))
        except BaseException:
            self._gate.leave()
            raise
        if inspect.iscoroutine(request):
            self._gate.leave()
        else:
            request.add_done_callback(self._answered)
        return request

    def _answered(self, request: Any) -> None:
        self._gate.leave()
        if not request.cancelled():
            # asyncio would log the error of a request that nobody waits for any more.
            request.exception()

    async def _later(self, procedure: str, arguments: Sequence[Any]) -> Rows:
        """Wait for a place for half of a page's time, so that the rest is left for the answer."""
        loop = asyncio.get_event_loop()
        end = loop.time() + TIMEOUTS.page
        with Deadline(TIMEOUTS.page / 2) as waiting:
            await self._gate.enter(waiting)
        return await _answer(self._send(procedure, end - loop.time(), arguments))

    async def remember(self, votes: Sequence[Vote]) -> int:
        if not votes:
            return 0
        kept: int = (await self._ask("site_remember", [list(vote) for vote in votes]))[0][0]
        return kept


async def _answer(request: Any) -> Rows:
    """Return the rows of a request. It goes on if the page is cancelled, as the database does."""
    await asyncio.wait([request])
    rows: Rows = request.result()
    return rows
