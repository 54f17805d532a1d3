"""The article's layout: every step of a page is one request to the database.

A database's module sends each single request; the pages are put together from them here, once.
"""

from __future__ import annotations

import inspect
from typing import Any, Awaitable, List, Sequence

from data_interface.store import Ballot, NotFound, Podium, Visitor

Row = Sequence[Any]
Rows = Sequence[Row]
Request = Awaitable[Rows]

DRAWS = 3
NO_STICKERS = "There are no stickers to choose between."


async def replies(*requests: Request) -> List[Rows]:
    """Await requests in order and return their rows.

    A driver that multiplexes returns futures: all requests are in progress at once and wake the
    page once. Another driver returns coroutines, which run one after another. If one fails, the
    rest are cancelled, so that nothing is left that was never awaited.
    """
    results: List[Rows] = []
    try:
        for request in requests:
            # Futures are in progress already; coroutines must run one after another.
            results.append(await request)  # noqa: PERF401
    except BaseException:
        _cancel(*requests)
        raise
    return results


def _cancel(*requests: Any) -> None:
    """Cancel the requests that were not answered."""
    for request in requests:
        if inspect.iscoroutine(request):
            request.close()
        elif not request.cancel() and not request.cancelled():
            # The request may have failed too, as all do when their connection is lost. Retrieving
            # its error keeps asyncio from logging that nobody did.
            request.exception()


class ArticleData:
    """Makes ``ballot`` and ``podium`` of ``store.Data`` of single requests.

    Each of the other methods sends one request and returns an awaitable of its rows.
    """

    def random_sticker(self) -> Request:
        """Draw a sticker, each equally likely: (id, pack, title, rating, up, down)."""
        raise NotImplementedError

    def new_id(self) -> Request:
        """Draw 128 bits from the database's CSPRNG: (32 hex digits, what ``keep_token`` needs)."""
        raise NotImplementedError

    def keep_token(self, new: Row, sticker: int, mate: str) -> Request:
        """Store a token for a sticker, which expires by the database's clock.

        ``new`` is a row of ``new_id``, ``mate`` the other token of the same ballot.
        """
        raise NotImplementedError

    def touch_session(self, session: str, visitor: Visitor) -> Request:
        """Insert the session, or count one more visit and note address, agent and time."""
        raise NotImplementedError

    def count_view(self) -> Request:
        """Count one view of Index."""
        raise NotImplementedError

    def ranked(self, limit: int, best: bool) -> Request:
        """Select the stickers at one end of the ranking."""
        raise NotImplementedError

    async def ballot(self, visitor: Visitor) -> Ballot:
        known, _, _ = visitor
        requests = [self.random_sticker(), self.random_sticker(), self.new_id(), self.new_id()]
        requests.append(self.count_view())
        if known is None:
            requests.append(self.new_id())
        try:
            # Without ``replies``, which would be one coroutine more on the page that asks most.
            rows = [await request for request in requests]
            if not (rows[0] and rows[1]):
                raise NotFound(NO_STICKERS)
            left, right = rows[0][0], rows[1][0]
            if left[0] == right[0]:
                right = await self._another(left)
            session = known or rows[5][0][0]
            one, other = rows[2][0], rows[3][0]
            plus, minus = one[0], other[0]
            requests = [
                self.keep_token(one, left[0], minus),
                self.keep_token(other, right[0], plus),
                self.touch_session(session, visitor),
            ]
            for request in requests:
                await request
        except BaseException:
            _cancel(*requests)
            raise
        return session, left, plus, right, minus

    async def _another(self, drawn: Row) -> Row:
        """Draw a sticker other than the first: about one ballot in 16,200 draws it twice."""
        for _ in range(DRAWS):
            rows = await self.random_sticker()
            if not rows:
                raise NotFound(NO_STICKERS)
            if rows[0][0] != drawn[0]:
                return rows[0]
        raise NotFound("There are no two different stickers to choose between.")

    async def podium(self, visitor: Visitor, limit: int, best: bool) -> Podium:
        known, _, _ = visitor
        ranked = self.ranked(limit, best)
        second = self.touch_session(known, visitor) if known else self.new_id()
        try:
            rows = await ranked
        except BaseException:
            _cancel(second)
            raise
        found = await second
        session = known or found[0][0]
        if not known:
            await self.touch_session(session, visitor)
        return session, rows
