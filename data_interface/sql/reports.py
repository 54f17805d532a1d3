"""The reports on any SQL database: one statement for each request."""

from __future__ import annotations

from typing import Any, Callable, Iterable, Sequence

from data_interface.article import Request
from data_interface.reports.article import ArticleReports
from data_interface.reports.rows import Vote


class SqlReports(ArticleReports):
    """``rows.Reports`` on ``data.Connection.fetch``; a database's own has its statements."""

    _fetch: Callable[..., Request]
    # The modules with the statements of the pages, and with those of the reports.
    _sql: Any
    _reports: Any

    def figures(self, since: int, till: int) -> Request:
        return self._fetch(self._reports.FIGURES, since, till)

    def per_slot(self, since: int, till: int, seconds: int) -> Request:
        return self._fetch(self._reports.PER_SLOT, since, till, seconds)

    def winners(self, since: int, till: int, limit: int) -> Request:
        return self._fetch(self._reports.WINNERS, since, till, limit)

    def latest(self, till: int, limit: int) -> Request:
        return self._fetch(self._reports.LATEST, till, limit)

    def rating_bins(self, width: int) -> Request:
        return self._fetch(self._reports.RATING_BINS, width)

    def attention_bins(self, width: int) -> Request:
        return self._fetch(self._reports.ATTENTION_BINS, width)

    def spread(self) -> Request:
        return self._fetch(self._reports.SPREAD)

    def contested(self, most: int, limit: int) -> Request:
        return self._fetch(self._reports.CONTESTED, most, limit)

    def movers(self, since: int, till: int, limit: int, rising: bool) -> Request:
        asked = self._reports.RISING if rising else self._reports.FALLING
        return self._fetch(asked, since, till, limit)

    def pack_gains(self, since: int, till: int, limit: int) -> Request:
        return self._fetch(self._reports.PACK_GAINS, since, till, limit)

    def pack_changes(self, since: int, till: int) -> Request:
        return self._fetch(self._reports.PACK_CHANGES, since, till)

    def pack_days(self, since: int, till: int, packs: Sequence[int]) -> Request:
        return self._fetch(self._reports.PACK_DAYS, since, till, _listed(packs))

    def pack_leaders(self, packs: Sequence[int]) -> Request:
        return self._fetch(self._reports.PACK_LEADERS, _listed(packs))

    def titles(self) -> Request:
        return self._fetch(self._sql.PACKS)

    def hours(self, since: int, till: int) -> Request:
        return self._fetch(self._reports.HOURS, since, till)

    def week_hours(self, since: int, till: int) -> Request:
        return self._fetch(self._reports.WEEK_HOURS, since, till)

    def returns(self, since: int, till: int) -> Request:
        return self._fetch(self._reports.RETURNS, since, till)

    def votes_each(self, since: int, till: int) -> Request:
        return self._fetch(self._reports.VOTES_EACH, since, till)

    def voter_days(self, since: int, till: int) -> Request:
        return self._fetch(self._reports.VOTER_DAYS, since, till)

    async def remember(self, votes: Sequence[Vote]) -> int:
        """See ``rows.Reports``."""
        if not votes:
            return 0
        kept: int = (await self._fetch(self._reports.REMEMBER, *self._columns(votes)))[0][0]
        return kept

    def _columns(self, votes: Sequence[Vote]) -> Iterable[Any]:
        """Votes as the arguments of ``REMEMBER``: moments, winners, losers, voters."""
        return map(list, zip(*votes))


def _listed(packs: Sequence[int]) -> str:
    """As one text, "1,2,3"."""
    return ",".join(map(str, packs))
