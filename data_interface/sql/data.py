"""The requests of pages to any SQL database, and the interface of a driver's connection."""

from __future__ import annotations

from typing import Any, List, Optional

from typing_extensions import Protocol

from data_interface.article import ArticleData, Request, Row
from data_interface.sql.reports import SqlReports
from data_interface.store import Conflict, NotFound, Pack, Statistics, Sticker, Visitor

NO_PACK = "There is no such pack."
NO_STICKER = "There is no such sticker in that pack."


class Connection(Protocol):
    """A driver's connection, in autocommit mode."""

    def fetch(self, statement: str, *arguments: Any) -> Request:
        """Return the rows of one statement, whose parameters are written $1, $2 and so on.

        Arguments are texts and integers, and lists of them on PostgreSQL. It sends one request.
        """

    async def script(self, statements: str) -> None:
        """Run several statements without parameters, in one request."""


class SqlData(ArticleData, SqlReports):
    """Answers a page on one connection; a subclass has the database's statements."""

    # The module with the statements of the pages.
    _sql: Any

    def __init__(self, connection: Connection) -> None:
        self._fetch = connection.fetch

    def _conflict(self, error: BaseException) -> Optional[str]:
        """Return what a refused change contradicts; None for any other error."""
        raise NotImplementedError

    def random_sticker(self) -> Request:
        return self._fetch(self._sql.RANDOM_STICKER)

    def new_id(self) -> Request:
        return self._fetch(self._sql.NEW_ID)

    def keep_token(self, new: Row, sticker: int, mate: str) -> Request:
        return self._fetch(self._sql.KEEP_TOKEN, new[0], sticker, mate)

    def touch_session(self, session: str, visitor: Visitor) -> Request:
        _, address, agent = visitor
        return self._fetch(self._sql.TOUCH_SESSION, session, address, agent)

    def count_view(self) -> Request:
        return self._fetch(self._sql.COUNT_VIEW)

    def ranked(self, limit: int, best: bool) -> Request:
        return self._fetch(self._sql.BEST if best else self._sql.WORST, limit)

    async def cast_vote(self, plus: str, minus: str, voter: int, moment: int) -> bool:
        return bool((await self._fetch(self._sql.CAST_VOTE, plus, minus, voter, moment))[0][0])

    async def statistics(self) -> Statistics:
        return Statistics(*(await self._fetch(self._sql.STATISTICS))[0])

    async def edits(self) -> int:
        # MariaDB sums integers as decimals.
        return int((await self._fetch(self._sql.EDITS))[0][0])

    async def packs(self) -> List[Pack]:
        return [Pack(*row) for row in await self._fetch(self._sql.PACKS)]

    async def pack(self, pack: int) -> Pack:
        return Pack(*await self._one(NO_PACK, self._fetch(self._sql.PACK, pack)))

    async def stickers(self, pack: int) -> List[Sticker]:
        return list(map(Sticker._make, await self._fetch(self._sql.STICKERS, pack)))

    async def sticker(self, pack: int, sticker: int) -> Sticker:
        asked = self._fetch(self._sql.ONE_STICKER, pack, sticker)
        return Sticker(*await self._one(NO_STICKER, asked))

    async def create_pack(self, title: str) -> Pack:
        return Pack(*await self._one(NO_PACK, self._fetch(self._sql.CREATE_PACK, title)))

    async def rename_pack(self, pack: int, title: str) -> Pack:
        return Pack(*await self._one(NO_PACK, self._fetch(self._sql.RENAME_PACK, pack, title)))

    async def delete_pack(self, pack: int) -> None:
        await self._one(NO_PACK, self._fetch(self._sql.DELETE_PACK, pack))

    async def create_sticker(self, pack: int, title: str) -> Sticker:
        created = self._fetch(self._sql.CREATE_STICKER, pack, title)
        return Sticker(*await self._one(NO_PACK, created))

    async def rename_sticker(self, pack: int, sticker: int, title: str) -> Sticker:
        renamed = self._fetch(self._sql.RENAME_STICKER, pack, sticker, title)
        return Sticker(*await self._one(NO_STICKER, renamed))

    async def delete_sticker(self, pack: int, sticker: int) -> None:
        await self._one(NO_STICKER, self._fetch(self._sql.DELETE_STICKER, pack, sticker))

    async def _one(self, missing: str, request: Request) -> Any:
        """Return the only row, or raise ``NotFound``, or ``Conflict`` as ``_changed`` does."""
        rows = await self._changed(request)
        if not rows:
            raise NotFound(missing)
        return rows[0]

    async def _changed(self, request: Request) -> Any:
        """Return the rows of a change. Raise ``Conflict`` if a constraint refuses it."""
        try:
            return await request
        except Exception as error:
            conflict = self._conflict(error)
            if conflict is None:
                raise
            raise Conflict(conflict) from None
