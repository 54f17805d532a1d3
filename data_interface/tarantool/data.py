"""The requests of pages to Tarantool, through any driver.

Each driver's connection has five methods: ``call(procedure, arguments)``,
``select(space, key, ...)``, ``insert(space, row)``, ``update(space, key, operations)`` and
``upsert(space, row, operations)``. Each call sends one request. Fields are numbered from 0.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any, Callable, List

from data_interface.article import ArticleData, Request, Row
from data_interface.store import TOKEN_SECONDS, NotFound, Pack, Statistics, Sticker, Visitor
from data_interface.tarantool.layout import (
    ASCENDING,
    BY_PACK,
    BY_RATING,
    COUNTERS,
    DESCENDING,
    EQUAL,
    PACKS,
    SESSIONS,
    STICKERS,
    TOKENS,
)
from data_interface.tarantool.reports import TarantoolReports

VIEWS = ["views"]
ONE_MORE = [["+", 1, 1]]


class TarantoolData(ArticleData, TarantoolReports):
    """Answers a page on one connection to Tarantool."""

    # These are partials, made in ``__init__``, because they are faster to call than methods.
    random_sticker: Callable[[], Request]
    new_id: Callable[[], Request]
    count_view: Callable[[], Request]

    def __init__(self, connection: Any) -> None:
        super().__init__()
        self._call = connection.call
        self._select = connection.select
        self._insert: Callable[..., Request] = connection.insert
        self._update: Callable[..., Request] = connection.update
        self._upsert: Callable[..., Request] = connection.upsert
        self.random_sticker = partial(self._call, "site_random_sticker")
        self.new_id = partial(self._call, "site_new_id")
        self.count_view = partial(self._update, COUNTERS, VIEWS, ONE_MORE)

    def keep_token(self, new: Row, sticker: int, mate: str) -> Request:
        # The database decides when a token has expired, so the time comes from the database too.
        return self._insert(TOKENS, [new[0], sticker, mate, new[1] + TOKEN_SECONDS])

    def touch_session(self, session: str, visitor: Visitor) -> Request:
        now = int(time.time())
        _, address, agent = visitor
        return self._upsert(
            SESSIONS,
            [session, address, agent, 1, now],
            [["=", 1, address], ["=", 2, agent], ["+", 3, 1], ["=", 4, now]],
        )

    def ranked(self, limit: int, best: bool) -> Request:
        iterator = DESCENDING if best else ASCENDING
        return self._select(STICKERS, [], limit=limit, index=BY_RATING, iterator=iterator)

    def _find(self, space: int, key: List[int], **options: int) -> Request:
        return self._select(space, key, **options)

    async def cast_vote(self, plus: str, minus: str, voter: int, moment: int) -> bool:
        return bool((await self._ask("site_cast_vote", plus, minus, voter, moment))[0][0])

    async def statistics(self) -> Statistics:
        return Statistics(*(await self._ask("site_statistics"))[0])

    async def edits(self) -> int:
        return int((await self._select(COUNTERS, ["edits"]))[0][1])

    async def packs(self) -> List[Pack]:
        return [Pack(*row) for row in await self._find(PACKS, [], iterator=ASCENDING)]

    async def pack(self, pack: int) -> Pack:
        rows = await self._find(PACKS, [pack])
        if not rows:
            raise NotFound(f"There is no pack {pack}.")
        return Pack(*rows[0])

    async def stickers(self, pack: int) -> List[Sticker]:
        rows = await self._find(STICKERS, [pack], index=BY_PACK, iterator=EQUAL)
        return list(map(Sticker._make, rows))

    async def sticker(self, pack: int, sticker: int) -> Sticker:
        rows = await self._find(STICKERS, [sticker])
        if not rows or rows[0][1] != pack:
            raise NotFound(f"There is no sticker {sticker} in pack {pack}.")
        return Sticker(*rows[0])

    async def create_pack(self, title: str) -> Pack:
        return Pack(*(await self._ask("site_create_pack", title))[0])

    async def rename_pack(self, pack: int, title: str) -> Pack:
        return Pack(*(await self._ask("site_rename_pack", pack, title))[0])

    async def delete_pack(self, pack: int) -> None:
        await self._ask("site_delete_pack", pack)

    async def create_sticker(self, pack: int, title: str) -> Sticker:
        return Sticker(*(await self._ask("site_create_sticker", pack, title))[0])

    async def rename_sticker(self, pack: int, sticker: int, title: str) -> Sticker:
        return Sticker(*(await self._ask("site_rename_sticker", pack, sticker, title))[0])

    async def delete_sticker(self, pack: int, sticker: int) -> None:
        await self._ask("site_delete_sticker", pack, sticker)
