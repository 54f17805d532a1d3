"""The rules by which the report was made, with the limits of its race."""

from __future__ import annotations

import math

from markupsafe import Markup

from race.analysis.model import Analysis
from race.report.template import filled
from race.stats import signed_rank
from race.stats.noise import DEVIATIONS, LEAST_MARGIN


class Method:
    """A chapter: what docs/method.md says at length, for a file that stands alone."""

    def title(self, analysis: Analysis) -> str:
        return "Method"

    def render(self, analysis: Analysis) -> Markup | None:
        return filled(
            "method",
            analysis,
            least=100 * math.expm1(LEAST_MARGIN),
            deviations=DEVIATIONS,
            rounds_needed=signed_rank.rounds_needed(),
            rated=any(one.rated for one in analysis.comparisons),
        )
