"""The reports as HTML, for every renderer: nothing of one can be prepared before its request."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Type

import jinja2

from data_interface.reports import Newest, Ranking, Ratings, Report, Today, Voters
from handlers.render import views


class Chapter(NamedTuple):
    """A page of the section: its number, template, name in the navigation, heading."""

    number: int
    template: str
    name: str
    title: str


CHAPTERS: Dict[Type[Any], Chapter] = {
    Today: Chapter(1, "today", "Today", "Today"),
    Newest: Chapter(2, "newest", "Newest", "The newest votes"),
    Ratings: Chapter(3, "ratings", "Ratings", "Loved and loathed"),
    Ranking: Chapter(4, "ranking", "Packs", "Packs on the move"),
    Voters: Chapter(5, "voters", "Voters", "Who votes, and when"),
}


class ReportPages:
    """``Renderer.report``, by Jinja at each request."""

    def __init__(self, templates: jinja2.Environment) -> None:
        self._templates = {
            kind: templates.get_template(f"reports/{chapter.template}.html")
            for kind, chapter in CHAPTERS.items()
        }

    def report(self, found: Report, now: int) -> bytes:
        """See ``renderer.Renderer``."""
        kind = type(found)
        chapter = CHAPTERS[kind]
        html = self._templates[kind].render(
            chapters=CHAPTERS.values(),
            chapter=chapter,
            now_iso=views.iso(now),
            now=views.time_text(now),
            **getattr(views, chapter.template)(found, now),
        )
        return html.encode("utf-8", "replace")
