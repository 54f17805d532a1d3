"""A session of SQLAlchemy on one connection of its engine."""

from __future__ import annotations

import contextlib
import re
from functools import lru_cache
from typing import Any, Sequence

from sqlalchemy import TextClause, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncSession

from data_interface.article import Rows

# A parameter, with the type to which it is cast if one follows it.
PARAMETER = re.compile(r"\$(\d+)(?:::(\w+(?:\[\])?))?")


class SqlalchemyConnection:
    """Sends one request for each call, with mapped classes or with SQL as text.

    The connection commits by itself: what the session has flushed is permanent.
    """

    __slots__ = ("_inner", "_session", "raw")

    def __init__(self, inner: AsyncConnection) -> None:
        self._inner = inner
        self._session = AsyncSession(bind=inner, expire_on_commit=False)
        proxied: Any = inner.sync_connection
        # asyncpg's connection.
        self.raw: Any = proxied.connection.driver_connection

    async def scalars(self, statement: Any) -> Sequence[Any]:
        """Return the first value of each row: a mapped instance if the statement selects one."""
        return (await self._session.scalars(statement)).all()

    async def execute(self, statement: Any) -> Rows:
        """Make a change that returns no rows."""
        await self._session.execute(statement)
        return []

    async def add(self, instance: Any) -> Sequence[Any]:
        """Insert a mapped instance, which then has the values that the database gave it."""
        self._session.add(instance)
        try:
            await self._session.flush()
        except DBAPIError:
            # After a failed flush a session is unusable until this. It sends no request.
            await self._session.rollback()
            raise
        return [instance]

    async def fetch(self, statement: str, *arguments: Any) -> Rows:
        values = {f"p{place}": value for place, value in enumerate(arguments, start=1)}
        result: Any = await self._session.execute(_text(statement), values)
        return result.all() if result.returns_rows else []

    async def script(self, statements: str) -> None:
        # SQLAlchemy prepares every statement, which allows one at a time; asyncpg takes several.
        await self.raw.execute(statements)

    async def end(self, broken: bool) -> None:
        """Return the connection to its engine, whose pool keeps it unless it is ``broken``."""
        if broken:
            self.raw.terminate()
            with contextlib.suppress(Exception):
                await self._inner.invalidate()
        with contextlib.suppress(Exception):
            await self._session.close()
        with contextlib.suppress(Exception):
            await self._inner.close()


@lru_cache(maxsize=None)
def _text(statement: str) -> TextClause:
    """Return a statement with :p1 for $1 and CAST for ``::``, which ``text`` would misread."""
    return text(PARAMETER.sub(_named, statement))


def _named(parameter: re.Match[str]) -> str:
    name, kind = f":p{parameter[1]}", parameter[2]
    return f"CAST({name} AS {kind})" if kind else name
