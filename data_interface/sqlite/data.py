"""The requests of pages to SQLite, through any driver."""

from __future__ import annotations

import json
import sqlite3
from typing import Optional, Sequence

from data_interface.reports.rows import Vote
from data_interface.sql.data import SqlData
from data_interface.sqlite import report_statements, statements

CONFLICTS = {"UNIQUE": "Another pack has that title.", "FOREIGN": "The pack still has stickers."}


class SqliteData(SqlData):
    """Answers a page on one connection to SQLite."""

    _sql = statements
    _reports = report_statements

    async def cast_vote(self, plus: str, minus: str, voter: int, moment: int) -> bool:
        return bool(await self._fetch(statements.CAST_VOTE, plus, minus, voter, moment))

    async def remember(self, votes: Sequence[Vote]) -> int:
        if not votes:
            return 0
        return len(await self._fetch(report_statements.REMEMBER, json.dumps(votes)))

    def _conflict(self, error: BaseException) -> Optional[str]:
        # "UNIQUE constraint failed: packs.title", "FOREIGN KEY constraint failed"
        refused = isinstance(error, sqlite3.IntegrityError)
        return CONFLICTS.get(str(error).split(" ")[0]) if refused else None
