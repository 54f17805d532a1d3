"""The requests of pages to PostgreSQL, through any driver."""

from __future__ import annotations

from typing import Optional

from data_interface.postgres import report_statements, statements
from data_interface.postgres.refusals import CONFLICTS, sqlstate
from data_interface.sql.data import SqlData


class PostgresData(SqlData):
    """Answers a page on one connection to PostgreSQL."""

    _sql = statements
    _reports = report_statements

    def _conflict(self, error: BaseException) -> Optional[str]:
        return CONFLICTS.get(sqlstate(error) or "")
