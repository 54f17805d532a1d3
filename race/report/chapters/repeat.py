"""The command that runs the race again."""

from __future__ import annotations

import shlex

from race.analysis.model import Analysis
from race.report.template import ReportChapter, chapter


def render(analysis: Analysis) -> ReportChapter | None:
    """Return the command and the commit."""
    return chapter("Repeat it", "repeat", analysis, command=shlex.join(analysis.race.head.command))
