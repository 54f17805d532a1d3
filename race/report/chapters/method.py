"""The rules by which the report was made, with the limits of its race, and the race's command."""

from __future__ import annotations

import math
import shlex

from race.analysis.model import Analysis
from race.report.template import ReportChapter, chapter
from race.stats import signed_rank
from race.stats.noise import LEAST_MARGIN
from race.stats.verdict import MOST, STRETCH


def render(analysis: Analysis) -> ReportChapter | None:
    """Return what docs/method.md says at length, for a file that stands alone."""
    return chapter(
        "Method",
        "method",
        analysis,
        least=100 * math.expm1(LEAST_MARGIN),
        stretch=STRETCH,
        most=100 * math.expm1(MOST),
        rounds_needed=signed_rank.rounds_needed(),
        rated=any(one.rated for one in analysis.comparisons),
    )


def repeat(analysis: Analysis) -> ReportChapter | None:
    """Return the command that runs the race again, and the commit."""
    return chapter("Repeat it", "repeat", analysis, command=shlex.join(analysis.race.head.command))
