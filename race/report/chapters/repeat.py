"""The command that runs the race again."""

from __future__ import annotations

import shlex

from markupsafe import Markup

from race.analysis.model import Analysis
from race.report.template import filled


class Repeat:
    """A chapter: the command and the commit."""

    def title(self, analysis: Analysis) -> str:
        return "Repeat it"

    def render(self, analysis: Analysis) -> Markup | None:
        return filled("repeat", analysis, command=shlex.join(analysis.race.head.command))
