"""The requests of the reports on any SQL database, one statement each."""

from __future__ import annotations

from typing import Any, Callable, Iterable, Sequence

from data_interface.article import Request
from data_interface.reports.article import ArticleReports
from data_interface.reports.rows import Vote


class SqlReports(ArticleReports):
    """The reports on one connection; a subclass names the module of the database's statements."""

    _fetch: Callable[..., Request]
    # The module with a statement for each request, named after it in capitals.
    _reports: Any

    def report(self, name: str, *arguments: Any) -> Request:
        # A list of packs becomes the text "1,2,3".
        sent = [",".join(map(str, one)) if isinstance(one, list) else one for one in arguments]
        return self._fetch(getattr(self._reports, name.upper()), *sent)

    async def remember(self, votes: Sequence[Vote]) -> int:
        if not votes:
            return 0
        kept: int = (await self._fetch(self._reports.REMEMBER, *self._columns(votes)))[0][0]
        return kept

    def _columns(self, votes: Sequence[Vote]) -> Iterable[Any]:
        """Return the arguments of ``REMEMBER``: moments, winners, losers, voters."""
        return map(list, zip(*votes))
