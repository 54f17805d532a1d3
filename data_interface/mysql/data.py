"""The requests of pages to MariaDB, through any driver."""

from __future__ import annotations

import json
import random
from typing import Any, Iterable, Optional, Sequence

from data_interface.article import Request
from data_interface.mysql import report_statements, statements
from data_interface.mysql.refusals import CONFLICTS, number
from data_interface.reports.rows import Vote
from data_interface.sql.data import SqlData
from data_interface.store import Pack, Sticker

# So many more than there are stickers that the modulo of the draw prefers none noticeably.
DRAW_BITS = 53


class MysqlData(SqlData):
    """Answers a page on one connection to MariaDB."""

    _sql = statements
    _reports = report_statements

    def random_sticker(self) -> Request:
        drawn = random.getrandbits(DRAW_BITS)
        return self._fetch(statements.RANDOM_STICKER, drawn)

    async def rename_pack(self, pack: int, title: str) -> Pack:
        await self._changed(self._fetch(statements.RENAME_PACK, pack, title))
        return await self.pack(pack)

    async def rename_sticker(self, pack: int, sticker: int, title: str) -> Sticker:
        await self._changed(self._fetch(statements.RENAME_STICKER, pack, sticker, title))
        return await self.sticker(pack, sticker)

    def _conflict(self, error: BaseException) -> Optional[str]:
        return CONFLICTS.get(number(error) or 0)

    def _columns(self, votes: Sequence[Vote]) -> Iterable[Any]:
        return [json.dumps(list(votes))]
