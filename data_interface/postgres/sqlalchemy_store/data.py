"""The requests of pages to PostgreSQL, with mapped classes of SQLAlchemy."""

from __future__ import annotations

from typing import Any, List

from sqlalchemy import BigInteger, cast, delete, func, literal, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import aliased

from data_interface.article import Row, Rows
from data_interface.postgres.data import PostgresData
from data_interface.postgres.sqlalchemy_store.connection import SqlalchemyConnection
from data_interface.postgres.sqlalchemy_store.models import (
    CounterRow,
    PackRow,
    SessionRow,
    StickerRow,
    TokenRow,
)
from data_interface.sql.data import NO_PACK, NO_STICKER
from data_interface.store import Pack, Sticker, Visitor

# The number of slots of each counter in ``schema.sql``.
SLOTS = 64


class SqlalchemyData(PostgresData):
    """Answers a page on one session of SQLAlchemy.

    Requests use mapped classes where these can express them. The rest is SQL as text, in which
    SQLAlchemy's users write reports too: new ids, sums over votes, a new sticker that takes no id
    if its pack does not exist, and a new title that is counted in the same request.
    """

    def __init__(self, connection: SqlalchemyConnection) -> None:
        super().__init__(connection)
        self._connection = connection

    async def random_sticker(self) -> Rows:
        other = aliased(StickerRow)
        lowest, highest = func.min(other.id), func.max(other.id)
        step = cast(func.floor(func.random() * (highest - lowest + 1)), BigInteger)
        drawn = select(lowest + step).scalar_subquery()
        at_or_after = select(StickerRow).where(StickerRow.id >= drawn)
        return await self._stickers(at_or_after.order_by(StickerRow.id).limit(1))

    async def keep_token(self, new: Row, sticker: int, mate: str) -> Rows:
        return await self._connection.add(TokenRow(token=new[0], sticker=sticker, mate=mate))

    async def touch_session(self, session: str, visitor: Visitor) -> Rows:
        _, address, agent = visitor
        new = insert(SessionRow).values(session=session, address=address, agent=agent)
        seen_again = {
            "visits": SessionRow.visits + 1,
            "address": new.excluded.address,
            "agent": new.excluded.agent,
            "seen": new.excluded.seen,
        }
        return await self._connection.execute(
            new.on_conflict_do_update(index_elements=[SessionRow.session], set_=seen_again)
        )

    async def count_view(self) -> Rows:
        own_slot = CounterRow.slot == func.pg_backend_pid() % SLOTS
        counted = update(CounterRow).where(CounterRow.name == "views", own_slot)
        one_more = counted.values(value=CounterRow.value + 1)
        # The session holds no counters that would have to be updated.
        return await self._connection.execute(one_more.execution_options(synchronize_session=False))

    async def ranked(self, limit: int, best: bool) -> Rows:
        keys = (StickerRow.rating, StickerRow.id)
        order = [key.desc() for key in keys] if best else list(keys)
        return await self._stickers(select(StickerRow).order_by(*order).limit(limit))

    async def cast_vote(self, plus: str, minus: str, voter: int, moment: int) -> bool:
        whole = (literal(number, BigInteger) for number in (voter, moment))
        counted = select(func.cast_vote(plus, minus, *whole))
        return bool((await self._connection.scalars(counted))[0])

    async def packs(self) -> List[Pack]:
        rows = await self._connection.scalars(select(PackRow).order_by(PackRow.id))
        return [pack_of(row) for row in rows]

    async def pack(self, pack: int) -> Pack:
        return await self._pack(select(PackRow).where(PackRow.id == pack))

    async def stickers(self, pack: int) -> List[Sticker]:
        of_pack = select(StickerRow).where(StickerRow.pack == pack)
        return await self._stickers(of_pack.order_by(StickerRow.id))

    async def sticker(self, pack: int, sticker: int) -> Sticker:
        return await self._sticker(select(StickerRow).where(*at(pack, sticker)))

    async def create_pack(self, title: str) -> Pack:
        return pack_of(await self._one(NO_PACK, self._connection.add(PackRow(title=title))))

    async def rename_pack(self, pack: int, title: str) -> Pack:
        renamed = update(PackRow).where(PackRow.id == pack).values(title=title)
        return await self._pack(renamed.returning(PackRow))

    async def delete_pack(self, pack: int) -> None:
        gone = delete(PackRow).where(PackRow.id == pack).returning(PackRow.id)
        await self._one(NO_PACK, self._connection.scalars(gone))

    async def delete_sticker(self, pack: int, sticker: int) -> None:
        gone = delete(StickerRow).where(*at(pack, sticker)).returning(StickerRow.id)
        await self._one(NO_STICKER, self._connection.scalars(gone))

    async def _pack(self, statement: Any) -> Pack:
        return pack_of(await self._one(NO_PACK, self._connection.scalars(statement)))

    async def _sticker(self, statement: Any) -> Sticker:
        return sticker_of(await self._one(NO_STICKER, self._connection.scalars(statement)))

    async def _stickers(self, statement: Any) -> List[Sticker]:
        return [sticker_of(row) for row in await self._connection.scalars(statement)]


def at(pack: int, sticker: int) -> Any:
    """Return the conditions that select one sticker of a pack."""
    return StickerRow.pack == pack, StickerRow.id == sticker


def pack_of(row: PackRow) -> Pack:
    """Return a plain row: no mapped instance outlives its request."""
    return Pack(row.id, row.title)


def sticker_of(row: StickerRow) -> Sticker:
    """Return a plain row: no mapped instance outlives its request."""
    return Sticker(row.id, row.pack, row.title, row.rating, row.up, row.down)
