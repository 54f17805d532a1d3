"""``store.Data`` for any PostgreSQL driver, and what its connection must be able to do."""

from __future__ import annotations

from typing import Any, List

from typing_extensions import Protocol

from data_interface.article import ArticleData, Request
from data_interface.postgres import statements as sql
from data_interface.postgres.refusals import CONFLICTS, sqlstate
from data_interface.postgres.reports import PostgresReports
from data_interface.store import Conflict, NotFound, Pack, Statistics, Sticker, Visitor

NO_PACK = "There is no such pack."
NO_STICKER = "There is no such sticker in that pack."


class Connection(Protocol):
    """What a driver brings: a connection with autocommit, two calls long."""

    def fetch(self, statement: str, *arguments: Any) -> Request:
        """The rows of one statement, whose parameters are written $1, $2 and so on.

        Arguments are texts, whole numbers, or lists of them. One request to the database.
        """

    async def script(self, statements: str) -> None:
        """Run several statements without parameters, in one request."""


class PostgresData(ArticleData, PostgresReports):
    """``store.Data`` on one connection."""

    def __init__(self, connection: Connection) -> None:
        self._fetch = connection.fetch

    def random_sticker(self) -> Request:
        return self._fetch(sql.RANDOM_STICKER)

    def new_id(self) -> Request:
        return self._fetch(sql.NEW_ID)

    def keep_token(self, token: str, sticker: int, mate: str) -> Request:
        return self._fetch(sql.KEEP_TOKEN, token, sticker, mate)

    def touch_session(self, session: str, visitor: Visitor) -> Request:
        return self._fetch(sql.TOUCH_SESSION, session, visitor.address, visitor.agent)

    def count_view(self) -> Request:
        return self._fetch(sql.COUNT_VIEW)

    def ranked(self, limit: int, best: bool) -> Request:
        return self._fetch(sql.BEST if best else sql.WORST, limit)

    async def cast_vote(self, plus: str, minus: str, voter: int, moment: int) -> bool:
        return bool((await self._fetch(sql.CAST_VOTE, plus, minus, voter, moment))[0][0])

    async def statistics(self) -> Statistics:
        return Statistics(*(await self._fetch(sql.STATISTICS))[0])

    async def packs(self) -> List[Pack]:
        return [Pack(*row) for row in await self._fetch(sql.PACKS)]

    async def pack(self, pack: int) -> Pack:
        return Pack(*await self._one(NO_PACK, self._fetch(sql.PACK, pack)))

    async def stickers(self, pack: int) -> List[Sticker]:
        return list(map(Sticker._make, await self._fetch(sql.STICKERS, pack)))

    async def sticker(self, pack: int, sticker: int) -> Sticker:
        return Sticker(*await self._one(NO_STICKER, self._fetch(sql.ONE_STICKER, pack, sticker)))

    async def create_pack(self, title: str) -> Pack:
        return Pack(*await self._one(NO_PACK, self._fetch(sql.CREATE_PACK, title)))

    async def rename_pack(self, pack: int, title: str) -> Pack:
        return Pack(*await self._one(NO_PACK, self._fetch(sql.RENAME_PACK, pack, title)))

    async def delete_pack(self, pack: int) -> None:
        await self._one(NO_PACK, self._fetch(sql.DELETE_PACK, pack))

    async def create_sticker(self, pack: int, title: str) -> Sticker:
        return Sticker(*await self._one(NO_PACK, self._fetch(sql.CREATE_STICKER, pack, title)))

    async def rename_sticker(self, pack: int, sticker: int, title: str) -> Sticker:
        renamed = self._fetch(sql.RENAME_STICKER, pack, sticker, title)
        return Sticker(*await self._one(NO_STICKER, renamed))

    async def delete_sticker(self, pack: int, sticker: int) -> None:
        await self._one(NO_STICKER, self._fetch(sql.DELETE_STICKER, pack, sticker))

    async def _one(self, missing: str, request: Request) -> Any:
        """The only row of an answer; ``Conflict`` when a constraint refuses the change."""
        try:
            rows = await request
        except Exception as error:
            conflict = CONFLICTS.get(sqlstate(error) or "")
            if conflict is None:
                raise
            raise Conflict(conflict) from None
        if not rows:
            raise NotFound(missing)
        return rows[0]
