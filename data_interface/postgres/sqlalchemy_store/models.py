"""The site's tables as mapped classes; ``schema.sql`` makes them.

Only the tables that pages use are mapped. Names end in Row, because ``store`` has classes with the
plain names.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, ClassVar, Dict

from sqlalchemy import BigInteger, Computed, DateTime, FetchedValue, ForeignKey, Text, func
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from data_interface.store import TOKEN_SECONDS


class Base(DeclarativeBase):
    """The base of all tables."""

    type_annotation_map: ClassVar[Dict[Any, Any]] = {int: BigInteger, str: Text}


class PackRow(Base):
    """A pack of stickers."""

    __tablename__ = "packs"

    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str]


class StickerRow(Base):
    """A sticker, with the votes for it and against it."""

    __tablename__ = "stickers"

    id: Mapped[int] = mapped_column(primary_key=True)
    pack: Mapped[int] = mapped_column(ForeignKey("packs.id"))
    title: Mapped[str]
    rating: Mapped[int] = mapped_column(Computed("up - down"))
    up: Mapped[int] = mapped_column(server_default=FetchedValue())
    down: Mapped[int] = mapped_column(server_default=FetchedValue())


class TokenRow(Base):
    """A single-use right to vote for or against one sticker of a ballot."""

    __tablename__ = "tokens"

    token: Mapped[str] = mapped_column(primary_key=True)
    sticker: Mapped[int]
    mate: Mapped[str]
    # By the database's clock, which also decides whether a token has expired.
    expires: Mapped[datetime] = mapped_column(
        DateTime(timezone=True), insert_default=func.now() + timedelta(seconds=TOKEN_SECONDS)
    )


class SessionRow(Base):
    """A visitor."""

    __tablename__ = "sessions"

    session: Mapped[str] = mapped_column(primary_key=True)
    visits: Mapped[int] = mapped_column(server_default=FetchedValue())
    address: Mapped[str]
    agent: Mapped[str]
    seen: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=FetchedValue())


class CounterRow(Base):
    """One slot of a counter, whose value is the sum of its slots."""

    __tablename__ = "counters"

    name: Mapped[str] = mapped_column(primary_key=True)
    slot: Mapped[int] = mapped_column(primary_key=True)
    value: Mapped[int]
