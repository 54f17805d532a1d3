"""What ways into SQL databases past their stores have in common; see ``insiders``."""

from __future__ import annotations

from typing import Any, List, Tuple

from data_interface.reports.rows import Vote
from data_interface.store import Sticker


class SqlInsider:
    """A connection of the store's driver; see ``data_interface.sql.data.Connection``."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def session(self, session: str) -> Tuple[str, str, int]:
        sql = "SELECT address, agent, visits FROM sessions WHERE session = $1"
        row = (await self._connection.fetch(sql, session))[0]
        return row[0], row[1], row[2]

    async def kept(self) -> Tuple[int, int]:
        sql = "SELECT (SELECT COUNT(*) FROM tokens), (SELECT COUNT(*) FROM sessions)"
        row = (await self._connection.fetch(sql))[0]
        return row[0], row[1]

    async def stickers(self) -> List[Sticker]:
        sql = "SELECT id, pack, title, rating, up, down FROM stickers"
        return [Sticker(*row) for row in await self._connection.fetch(sql)]

    async def votes(self) -> List[Vote]:
        sql = "SELECT cast_at, winner, loser, voter FROM votes ORDER BY number"
        return [Vote(*row) for row in await self._connection.fetch(sql)]
