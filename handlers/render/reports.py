"""The HTML of the reports, the same for every renderer."""

from __future__ import annotations

from typing import Any, Callable, Dict, NamedTuple, Type

from data_interface.reports.rows import Newest, PackRanking, Ratings, Report, Today, Voters
from handlers.render import texts, views


class Chapter(NamedTuple):
    """A page of the section; its template has the name of its view."""

    number: int
    view: Callable[[Any, int], views.View]
    name: str
    title: str


CHAPTERS: Dict[Type[Any], Chapter] = {
    Today: Chapter(1, views.today, "Today", "Today"),
    Newest: Chapter(2, views.newest, "Newest", "The newest votes"),
    Ratings: Chapter(3, views.ratings, "Ratings", "Loved and loathed"),
    PackRanking: Chapter(4, views.ranking, "Packs", "Packs on the move"),
    Voters: Chapter(5, views.voters, "Voters", "Who votes, and when"),
}


class ReportRenderer:
    """Renders reports at each request."""

    def __init__(self, templates: Any) -> None:
        self._templates = {
            kind: templates.get_template(f"reports/{chapter.view.__name__}.html")
            for kind, chapter in CHAPTERS.items()
        }

    def report(self, found: Report, now: int) -> bytes:
        """Render a report as of the moment ``now``."""
        kind = type(found)
        chapter = CHAPTERS[kind]
        html: str = self._templates[kind].render(
            chapters=list(CHAPTERS.values()),
            chapter=chapter,
            now_iso=texts.iso(now),
            now=texts.time(now),
            **chapter.view(found, now),
        )
        return html.encode("utf-8", "replace")
