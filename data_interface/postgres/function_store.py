"""PostgreSQL through asyncpg, with Index, Good and Bad as one function each: one round trip."""

from __future__ import annotations

from data_interface.article import NO_STICKERS
from data_interface.postgres.asyncpg_store import AsyncpgConnection, AsyncpgDriver
from data_interface.postgres.data import PostgresData
from data_interface.postgres.store import PostgresStore
from data_interface.store import TOKEN_SECONDS, Ballot, Data, NotFound, Podium, Visitor

BALLOT = f"SELECT * FROM ballot($1, $2, $3, interval '{TOKEN_SECONDS} s')"  # noqa: S608
BEST = "SELECT * FROM podium($1, $2, $3, $4, true)"
WORST = "SELECT * FROM podium($1, $2, $3, $4, false)"


def open_store(connection: str, url: str, size: int) -> PostgresStore:
    """Return the store at a ``postgresql://`` URL in one of the connection modes."""
    return PostgresStore(connection, url, size, FunctionDriver)


class FunctionData(PostgresData):
    """Answers Index, Good and Bad by the functions at the end of ``schema.sql``."""

    async def ballot(self, visitor: Visitor) -> Ballot:
        row = (await self._fetch(BALLOT, *visitor))[0]
        if row[0] is None:
            raise NotFound(NO_STICKERS)
        return row[0], row[1:7], row[7], row[8:14], row[14]

    async def podium(self, visitor: Visitor, limit: int, best: bool) -> Podium:
        rows = await self._fetch(BEST if best else WORST, *visitor, limit)
        return rows[0][0], [row[1:] for row in rows[1:]]


class FunctionDriver(AsyncpgDriver):
    """The driver asyncpg, for the connection modes."""

    def data(self, connection: AsyncpgConnection) -> Data:
        return FunctionData(connection)
