"""How to read the report: what its words and signs mean."""

from __future__ import annotations

from markupsafe import Markup

from race.analysis.model import Analysis
from race.report.legend import legend
from race.report.template import filled


class Legend:
    """A chapter: tasks, names, figures, in a line each."""

    def title(self, analysis: Analysis) -> str:
        return "How to read this"

    def render(self, analysis: Analysis) -> Markup | None:
        groups = legend(analysis)
        return filled("legend", analysis, groups=groups) if groups else None
