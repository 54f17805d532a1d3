"""The article's layout: every step of a page is one request to the database.

A driver's module says how each single request is sent; what a page is made of stands here, once.
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

    A driver that multiplexes returns futures, so all of them are under way at once and wake the
    page once; a driver that does not returns coroutines, which run one after another. When one
    fails, the rest are given up, so that nothing is left that was never awaited.
    """
    results: List[Rows] = []
    try:
        for request in requests:
            # One after another on purpose: futures are under way already, coroutines must queue.
            results.append(await request)  # noqa: PERF401
    except BaseException:
        _give_up(*requests)
        raise
    return results


def _give_up(*requests: Any) -> None:
    """End what is under way of them; nothing happens to what was answered."""
    for request in requests:
        if inspect.iscoroutine(request):
            request.close()
        elif not request.cancel() and not request.cancelled():
            # It may have failed as well, as all requests do when their connection is lost: asking
            # for the error keeps asyncio from reporting one that nobody looked at.
            request.exception()


class ArticleData:
    """``ballot`` and ``podium`` of ``store.Data``, made of single requests.

    Each request method sends one request and returns an awaitable of its rows; a new id comes in
    one row, whose first field it is.
    """

    def random_sticker(self) -> Request:
        """Any sticker, each equally likely: (id, pack, title, rating, up, down)."""
        raise NotImplementedError

    def new_id(self) -> Request:
        """128 bits from the database's CSPRNG as 32 hex digits; what else is in the row is for
        ``keep_token``."""
        raise NotImplementedError

    def keep_token(self, new: Row, sticker: int, mate: str) -> Request:
        """Store a token for a sticker: the id of a row of ``new_id``; ``mate`` is the other token
        of the same ballot. It lives by the database's clock."""
        raise NotImplementedError

    def touch_session(self, session: str, visitor: Visitor) -> Request:
        """Insert the session, or count one more visit and note address, agent and time."""
        raise NotImplementedError

    def count_view(self) -> Request:
        """Count one view of Index."""
        raise NotImplementedError

    def ranked(self, limit: int, best: bool) -> Request:
        """The stickers at one end of the ranking."""
        raise NotImplementedError

    async def ballot(self, visitor: Visitor) -> Ballot:
        """See ``store.Data.ballot``: 9 requests for a new visitor, 8 for a returning one."""
        known, _, _ = visitor
        requests = [self.random_sticker(), self.random_sticker(), self.new_id(), self.new_id()]
        requests.append(self.count_view())
        if known is None:
            requests.append(self.new_id())
        try:
            # Awaited here: ``replies`` would be a coroutine more, on the page that asks most.
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
            _give_up(*requests)
            raise
        return session, left, plus, right, minus

    async def _another(self, drawn: Row) -> Row:
        """Draw again: one ballot in as many as there are stickers draws the same one twice."""
        for _ in range(DRAWS):
            rows = await self.random_sticker()
            if not rows:
                raise NotFound(NO_STICKERS)
            if rows[0][0] != drawn[0]:
                return rows[0]
        raise NotFound("There are no two different stickers to choose between.")

    async def podium(self, visitor: Visitor, limit: int, best: bool) -> Podium:
        """See ``store.Data.podium``: 3 requests for a new visitor, 2 for a returning one."""
        known, _, _ = visitor
        ranked = self.ranked(limit, best)
        second = self.touch_session(known, visitor) if known else self.new_id()
        try:
            rows = await ranked
        except BaseException:
            _give_up(second)
            raise
        found = await second
        session = known or found[0][0]
        if not known:
            await self.touch_session(session, visitor)
        return session, rows
