"""A connection as the pages use it: a session of SQLAlchemy's on one connection of its engine."""

from __future__ import annotations

import contextlib
import re
from functools import lru_cache
from typing import Any, Sequence

from sqlalchemy import TextClause, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncSession

from data_interface.article import Rows

# A parameter, with the type that it is cast to where one is written behind it.
PARAMETER = re.compile(r"\$(\d+)(?:::(\w+(?:\[\])?))?")


class Connection:
    """``data.Connection``, and what a session does with mapped classes: a request for each call.

    With autocommit a session has nothing to commit: what it flushed is there.
    """

    __slots__ = ("_inner", "_session", "raw")

    def __init__(self, inner: AsyncConnection) -> None:
        self._inner = inner
        self._session = AsyncSession(bind=inner, expire_on_commit=False)
        proxied: Any = inner.sync_connection
        # asyncpg's.
        self.raw: Any = proxied.connection.driver_connection

    async def scalars(self, statement: Any) -> Sequence[Any]:
        """The first thing in each row: mapped instances, of a statement that gives such."""
        return (await self._session.scalars(statement)).all()

    async def execute(self, statement: Any) -> Rows:
        """A change that gives no rows."""
        await self._session.execute(statement)
        return []

    async def add(self, instance: Any) -> Sequence[Any]:
        """Insert a mapped instance, which then has what the database gave it."""
        self._session.add(instance)
        try:
            await self._session.flush()
        except DBAPIError:
            # A session whose flush failed does nothing before this, which asks nobody.
            await self._session.rollback()
            raise
        return [instance]

    async def fetch(self, statement: str, *arguments: Any) -> Rows:
        """See ``data.Connection``."""
        values = {f"p{place}": value for place, value in enumerate(arguments, start=1)}
        result: Any = await self._session.execute(written(statement), values)
        return result.all() if result.returns_rows else []

    async def script(self, statements: str) -> None:
        """See ``data.Connection``: SQLAlchemy prepares every statement, so one at a time."""
        await self.raw.execute(statements)

    async def end(self, broken: bool) -> None:
        """Give the connection back to its engine, whose pool keeps it unless it is ``broken``."""
        if broken:
            self.raw.terminate()
            with contextlib.suppress(Exception):
                await self._inner.invalidate()
        with contextlib.suppress(Exception):
            await self._session.close()
        with contextlib.suppress(Exception):
            await self._inner.close()


@lru_cache(maxsize=None)
def written(statement: str) -> TextClause:
    """A statement with :p1 for $1, and a cast in words: ``text`` reads no colon behind a name."""
    return text(PARAMETER.sub(_named, statement))


def _named(parameter: re.Match[str]) -> str:
    name, kind = f":p{parameter[1]}", parameter[2]
    return f"CAST({name} AS {kind})" if kind else name
