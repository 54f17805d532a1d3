"""The command that runs the race again."""

from __future__ import annotations

import shlex

from markupsafe import Markup

from race.analysis.model import Analysis
from race.report.template import filled


class Repeat:
    """`chapters.Chapter`: the command and the commit."""

    def title(self, analysis: Analysis) -> str:
        """See ``Chapter``."""
        return "Repeat it"

    def render(self, analysis: Analysis) -> Markup | None:
        """See ``Chapter``."""
        return filled("repeat", analysis, command=shlex.join(analysis.race.head.command))
