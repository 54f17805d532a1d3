"""Tarantool through asynctnt, with Index, Good and Bad as one procedure each: one round trip."""

from __future__ import annotations

from typing import Any

from data_interface.driver import address
from data_interface.store import TOKEN_SECONDS, Ballot, Data, Podium, Store, Visitor
from data_interface.tarantool.asynctnt_store import AsynctntDriver
from data_interface.tarantool.data import TarantoolData
from data_interface.tarantool.layout import TarantoolStore


def open_store(connection: str, url: str, size: int) -> Store:
    """Return the store on the Tarantool at ``url``. Raise ``Refused`` if that is no such URL."""
    where = address("tarantool", url)
    return TarantoolStore(connection, where, ProcedureDriver(where), size)


class ProcedureData(TarantoolData):
    """Answers Index, Good and Bad by the procedures in ``tarantool/pages.lua``."""

    async def ballot(self, visitor: Visitor) -> Ballot:
        session, left, plus, right, minus = (
            await self._ask("site_ballot", *visitor, TOKEN_SECONDS)
        )[0]
        return session, left, plus, right, minus

    async def podium(self, visitor: Visitor, limit: int, best: bool) -> Podium:
        session, stickers = (await self._ask("site_podium", *visitor, limit, best))[0]
        return session, stickers


class ProcedureDriver(AsynctntDriver):
    """The driver asynctnt, for the connection modes."""

    def data(self, connection: Any) -> Data:
        return ProcedureData(connection)
