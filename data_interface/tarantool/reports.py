"""The requests of the reports on Tarantool: one procedure each, in ``tarantool/reports.lua``.

Tarantool's own requests select rows but sum nothing: a month of votes would have to be sent here to
be counted. Its users write procedures for that.
"""

from __future__ import annotations

from typing import Any, Callable, Sequence

from data_interface.article import Request
from data_interface.reports.article import ArticleReports
from data_interface.reports.rows import Vote
from data_interface.tarantool.layout import ASCENDING, PACKS


class TarantoolReports(ArticleReports):
    """The reports on a connection's ``call`` and ``select``."""

    _call: Callable[..., Request]
    _select: Callable[..., Request]

    def _ask(self, procedure: str, *arguments: Any) -> Request:
        return self._call(procedure, arguments)

    def report(self, name: str, *arguments: Any) -> Request:
        if name == "titles":
            return self._select(PACKS, [], iterator=ASCENDING)
        return self._call("site_" + name, arguments)

    async def remember(self, votes: Sequence[Vote]) -> int:
        if not votes:
            return 0
        kept: int = (await self._ask("site_remember", [list(vote) for vote in votes]))[0][0]
        return kept
