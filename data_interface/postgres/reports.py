"""The reports on any PostgreSQL driver: one statement for each request."""

from __future__ import annotations

from typing import Callable, Sequence

from data_interface.article import Request
from data_interface.postgres import report_statements as sql
from data_interface.postgres.statements import PACKS
from data_interface.reports.article import ArticleReports
from data_interface.reports.rows import Vote


class PostgresReports(ArticleReports):
    """``rows.Reports`` on ``data.Connection.fetch``."""

    _fetch: Callable[..., Request]

    def figures(self, since: int, till: int) -> Request:
        return self._fetch(sql.FIGURES, since, till)

    def per_slot(self, since: int, till: int, seconds: int) -> Request:
        return self._fetch(sql.PER_SLOT, since, till, seconds)

    def winners(self, since: int, till: int, limit: int) -> Request:
        return self._fetch(sql.WINNERS, since, till, limit)

    def latest(self, till: int, limit: int) -> Request:
        return self._fetch(sql.LATEST, till, limit)

    def rating_bins(self, width: int) -> Request:
        return self._fetch(sql.RATING_BINS, width)

    def attention_bins(self, width: int) -> Request:
        return self._fetch(sql.ATTENTION_BINS, width)

    def spread(self) -> Request:
        return self._fetch(sql.SPREAD)

    def contested(self, most: int, limit: int) -> Request:
        return self._fetch(sql.CONTESTED, most, limit)

    def movers(self, since: int, till: int, limit: int, rising: bool) -> Request:
        return self._fetch(sql.RISING if rising else sql.FALLING, since, till, limit)

    def pack_gains(self, since: int, till: int, limit: int) -> Request:
        return self._fetch(sql.PACK_GAINS, since, till, limit)

    def pack_changes(self, since: int, till: int) -> Request:
        return self._fetch(sql.PACK_CHANGES, since, till)

    def pack_days(self, since: int, till: int, packs: Sequence[int]) -> Request:
        return self._fetch(sql.PACK_DAYS, since, till, _listed(packs))

    def pack_leaders(self, packs: Sequence[int]) -> Request:
        return self._fetch(sql.PACK_LEADERS, _listed(packs))

    def titles(self) -> Request:
        return self._fetch(PACKS)

    def hours(self, since: int, till: int) -> Request:
        return self._fetch(sql.HOURS, since, till)

    def week_hours(self, since: int, till: int) -> Request:
        return self._fetch(sql.WEEK_HOURS, since, till)

    def returns(self, since: int, till: int) -> Request:
        return self._fetch(sql.RETURNS, since, till)

    def votes_each(self, since: int, till: int) -> Request:
        return self._fetch(sql.VOTES_EACH, since, till)

    def voter_days(self, since: int, till: int) -> Request:
        return self._fetch(sql.VOTER_DAYS, since, till)

    async def remember(self, votes: Sequence[Vote]) -> int:
        """See ``rows.Reports``."""
        if not votes:
            return 0
        kept: int = (await self._fetch(sql.REMEMBER, *map(list, zip(*votes))))[0][0]
        return kept


def _listed(packs: Sequence[int]) -> str:
    """As ``CHOSEN`` takes them."""
    return ",".join(map(str, packs))
