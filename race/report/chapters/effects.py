"""What each choice buys."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from markupsafe import Markup

from race.analysis.model import Analysis
from race.analysis.values import place
from race.report import format as words
from race.report.charts import plots
from race.report.charts.figures import Figure, ratio_figure
from race.report.template import filled
from race.saved.model import Work
from race.stats.effects import Effect

Shown = Sequence[tuple[Work, Effect]]


class Effects:
    """`chapters.Chapter`: a figure for each contrast of two levels, a row for each work."""

    def title(self, analysis: Analysis) -> str:
        """See ``Chapter``."""
        return "What each choice buys"

    def render(self, analysis: Analysis) -> Markup | None:
        """See ``Chapter``."""
        groups: dict[tuple[str, str, str], list[tuple[Work, Effect]]] = defaultdict(list)
        for work, effect in analysis.effects:
            groups[effect.factor, effect.level, effect.reference].append((work, effect))
        order = list(analysis.discipline.factors)
        contrasts = sorted(groups.values(), key=lambda found: order.index(found[0][1].factor))
        figures = [
            _contrast(analysis, f"effect-{number}", found)
            for number, found in enumerate(contrasts, start=1)
        ]
        return filled("effects", analysis, figures=figures) if figures else None


def _contrast(analysis: Analysis, name: str, found: Shown) -> Figure:
    rows = [
        plots.ratio_row(
            place(analysis.discipline, work),
            estimate,
            "var(--accent)" if effect.direction else "var(--muted)",
        )
        for work, effect in found
        for estimate in ([effect.estimate] if effect.estimate else effect.estimates)
    ]
    first = found[0][1]
    title = f"{first.level} against {first.reference}"
    margins = [one.margin_percent for one in analysis.contests if math.isfinite(one.margin)]
    pairs = max(len(effect.pairs) for _, effect in found)
    caption = (
        f"{first.factor.capitalize()}, from {words.plural(pairs, 'matched pair')} of "
        f"{analysis.discipline.contender}s that differ in nothing else. Grey points cannot be told "
        "from no effect."
    )
    return Figure(title, caption, ratio_figure(name, rows, max(margins, default=0.0), title))
