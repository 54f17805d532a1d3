"""PostgreSQL through SQLAlchemy 2: its asyncio sessions and mapped classes, on asyncpg."""

from __future__ import annotations

from data_interface.postgres.sqlalchemy_store.driver import SqlalchemyDriver
from data_interface.postgres.store import PostgresStore


def open_store(connection: str, url: str, size: int) -> PostgresStore:
    """Return the store at a ``postgresql://`` URL in one of the connection modes."""
    return PostgresStore(connection, url, size, SqlalchemyDriver)
