"""Pages rendered by Jinja at each request, as most sites do it."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from data_interface.store import Ballot, Statistics
from handlers.render.manage import ManageRenderer
from handlers.render.renderer import environment
from handlers.render.reports import ReportRenderer


class JinjaRenderer:
    """Renders a template at each request."""

    def __init__(self, engine: str, python: str, templates: Optional[Any] = None) -> None:
        """Take `templates`, which give templates as Jinja's environment does; None for that."""
        templates = templates or environment()
        self._index = templates.get_template("index.html")
        self._top = templates.get_template("top.html")
        self._about = templates.get_template("about.html")
        self._error = templates.get_template("error.html")
        self._served_by = {"engine": engine, "python": python}
        self.report = ReportRenderer(templates).report
        self.manage = ManageRenderer(templates).manage

    def index(self, ballot: Ballot, notice: Optional[str]) -> bytes:
        _, left, plus, right, minus = ballot
        html = self._index.render(
            plus=plus,
            minus=minus,
            left_id=left[0],
            left=left[2],
            right_id=right[0],
            right=right[2],
            notice=notice,
        )
        return html.encode("utf-8", "replace")

    def top(self, stickers: Sequence[Sequence[Any]], best: bool) -> bytes:
        return self._top.render(stickers=stickers, best=best).encode("utf-8", "replace")

    def about(self, statistics: Optional[Statistics]) -> bytes:
        if statistics is None:
            return self._about.render(known=False, **self._served_by).encode("utf-8", "replace")
        packs, stickers, visitors, ballots, votes = statistics
        html = self._about.render(
            known=True,
            packs=f"{packs:,}",
            stickers=f"{stickers:,}",
            visitors=f"{visitors:,}",
            ballots=f"{ballots:,}",
            votes=f"{votes:,}",
            **self._served_by,
        )
        return html.encode("utf-8", "replace")

    def error(self, status: int, title: str, message: str) -> bytes:
        html = self._error.render(status=status, title=title, message=message)
        return html.encode("utf-8", "replace")
