"""PostgreSQL through psycopg 3 in its pipeline mode.

The requests of Index, Good and Bad that need no answer of each other are sent together, in one
round trip and one transaction.
"""

from __future__ import annotations

import logging
from typing import Any, List

from data_interface.article import NO_STICKERS, Rows
from data_interface.postgres import statements
from data_interface.postgres.data import PostgresData
from data_interface.postgres.psycopg_store import PsycopgConnection, PsycopgDriver, has_rows
from data_interface.postgres.store import PostgresStore
from data_interface.sql.placeholders import statement_for
from data_interface.store import Ballot, Data, NotFound, Podium, Visitor

# psycopg logs that a pipeline could not end on a connection that was closed; the page reports it.
logging.getLogger("psycopg").setLevel(logging.CRITICAL)


def open_store(connection: str, url: str, size: int) -> PostgresStore:
    """Return the store at a ``postgresql://`` URL in one of the connection modes."""
    return PostgresStore(connection, url, size, PipelineDriver)


class PipelineConnection(PsycopgConnection):
    """A connection that can send several statements in one round trip."""

    async def fetch_all(self, *requests: Any) -> List[Rows]:
        """Return the rows of statements, each given as (statement, argument, ...).

        If one fails, nothing of all of them is kept, and its error is raised.
        """
        cursors = []
        async with self.pipeline():
            for statement, *arguments in requests:
                text, order = statement_for(statement)
                parameters = [arguments[place] for place in order] if order else None
                cursors.append(await self.execute(text, parameters))
        return [await one.fetchall() if has_rows(one) else [] for one in cursors]


class PipelineData(PostgresData):
    """Answers Index, Good and Bad in two round trips or one; all else as ``PostgresData`` does."""

    def __init__(self, connection: PipelineConnection) -> None:
        super().__init__(connection)
        self._fetch_all = connection.fetch_all

    async def ballot(self, visitor: Visitor) -> Ballot:
        known, *rest = visitor
        draw, new_id = (statements.RANDOM_STICKER,), (statements.NEW_ID,)
        asked = [draw, draw, (statements.COUNT_VIEW,), new_id, new_id]
        drawn, others, _, *ids = await self._fetch_all(*asked, *([] if known else [new_id]))
        if not (drawn and others):
            raise NotFound(NO_STICKERS)
        left, right = drawn[0], others[0]
        if left[0] == right[0]:
            right = await self._another(left)
        plus, minus, *new = (rows[0][0] for rows in ids)
        session = known or new[0]
        await self._fetch_all(
            (statements.KEEP_TOKEN, plus, left[0], minus),
            (statements.KEEP_TOKEN, minus, right[0], plus),
            (statements.TOUCH_SESSION, session, *rest),
        )
        return session, left, plus, right, minus

    async def podium(self, visitor: Visitor, limit: int, best: bool) -> Podium:
        known, *rest = visitor
        ranked = (statements.BEST if best else statements.WORST, limit)
        if known:
            touch = (statements.TOUCH_SESSION, known, *rest)
            rows, _ = await self._fetch_all(ranked, touch)
            return known, rows
        rows, ids = await self._fetch_all(ranked, (statements.NEW_ID,))
        session = ids[0][0]
        await self._fetch(statements.TOUCH_SESSION, session, *rest)
        return session, rows


class PipelineDriver(PsycopgDriver):
    """The driver psycopg, for the connection modes."""

    connection_class = PipelineConnection

    def data(self, connection: Any) -> Data:
        return PipelineData(connection)
