"""A chapter that says who raced."""

from __future__ import annotations

from markupsafe import Markup

from race.analysis.model import Analysis
from race.report.template import ReportChapter


def render(analysis: Analysis) -> ReportChapter | None:
    """Return the names of all contenders."""
    names = {one.name for one in analysis.race.head.contenders}
    text = Markup("<p>raced {}</p>").format(", ".join(sorted(names, reverse=True)))
    return ReportChapter("A chapter of toys", text)
