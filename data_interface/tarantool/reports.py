"""The reports on any Tarantool driver: a procedure for each request (``tarantool/reports.lua``).

A native request selects, and sums nothing: a month of votes would be sent to be counted here. That
is what Tarantool has procedures for, and what its users write.
"""

from __future__ import annotations

from typing import Any, Callable, Sequence

from data_interface.article import Request
from data_interface.reports.article import ArticleReports
from data_interface.reports.rows import Vote
from data_interface.tarantool.layout import ASCENDING, PACKS


class TarantoolReports(ArticleReports):
    """``rows.Reports`` on a connection's ``call`` and ``select``."""

    _call: Callable[..., Request]
    _select: Callable[..., Request]

    def _ask(self, procedure: str, *arguments: Any) -> Request:
        return self._call(procedure, arguments)

    def figures(self, since: int, till: int) -> Request:
        return self._ask("site_figures", since, till)

    def per_slot(self, since: int, till: int, seconds: int) -> Request:
        return self._ask("site_per_slot", since, till, seconds)

    def winners(self, since: int, till: int, limit: int) -> Request:
        return self._ask("site_winners", since, till, limit)

    def latest(self, till: int, limit: int) -> Request:
        return self._ask("site_latest", till, limit)

    def rating_bins(self, width: int) -> Request:
        return self._ask("site_rating_bins", width)

    def attention_bins(self, width: int) -> Request:
        return self._ask("site_attention_bins", width)

    def spread(self) -> Request:
        return self._ask("site_spread")

    def contested(self, most: int, limit: int) -> Request:
        return self._ask("site_contested", most, limit)

    def movers(self, since: int, till: int, limit: int, rising: bool) -> Request:
        return self._ask("site_movers", since, till, limit, rising)

    def pack_gains(self, since: int, till: int, limit: int) -> Request:
        return self._ask("site_pack_gains", since, till, limit)

    def pack_changes(self, since: int, till: int) -> Request:
        return self._ask("site_pack_changes", since, till)

    def pack_days(self, since: int, till: int, packs: Sequence[int]) -> Request:
        return self._ask("site_pack_days", since, till, list(packs))

    def pack_leaders(self, packs: Sequence[int]) -> Request:
        return self._ask("site_pack_leaders", list(packs))

    def titles(self) -> Request:
        return self._select(PACKS, [], iterator=ASCENDING)

    def hours(self, since: int, till: int) -> Request:
        return self._ask("site_hours", since, till)

    def week_hours(self, since: int, till: int) -> Request:
        return self._ask("site_week_hours", since, till)

    def returns(self, since: int, till: int) -> Request:
        return self._ask("site_returns", since, till)

    def votes_each(self, since: int, till: int) -> Request:
        return self._ask("site_votes_each", since, till)

    def voter_days(self, since: int, till: int) -> Request:
        return self._ask("site_voter_days", since, till)

    async def remember(self, votes: Sequence[Vote]) -> int:
        """See ``rows.Reports``."""
        if not votes:
            return 0
        kept: int = (await self._ask("site_remember", [list(vote) for vote in votes]))[0][0]
        return kept
