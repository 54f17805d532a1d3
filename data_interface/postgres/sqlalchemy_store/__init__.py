"""PostgreSQL through SQLAlchemy 2: its asyncio sessions and mapped classes, on asyncpg."""

from __future__ import annotations

from data_interface.postgres.sqlalchemy_store.driver import SqlalchemyDriver
from data_interface.postgres.store import PostgresStore


def open_store(connection: str, url: str, size: int) -> PostgresStore:
    """The store at a ``postgresql://`` URL in one of the modes of ``connections.mode``."""
    return PostgresStore(connection, url, size, SqlalchemyDriver)
