"""What each choice buys."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from race.analysis.model import Analysis
from race.analysis.values import place
from race.report import format as words
from race.report.charts import vega
from race.report.charts.contrasts import Contrast, told
from race.report.charts.figures import Figure
from race.report.template import filled
from race.saved.model import Work
from race.stats.effects import Effect
from race.stats.estimate import Estimate

Shown = Sequence[tuple[Work, Effect]]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two labels, and their estimate in each column; None where one of them has no rank."""

    level: str
    reference: str
    estimates: list[Estimate | None]


@dataclass(frozen=True, slots=True)
class Section:
    """A contrast: what is drawn, and every pair of it in figures, a column for each place."""

    figure: Figure
    places: list[str]
    pairs: list[Pair]


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
        sections = [
            _contrast(analysis, f"effect-{number}", found)
            for number, found in enumerate(contrasts, start=1)
        ]
        return filled("effects", analysis, sections=sections) if sections else None


def _contrast(analysis: Analysis, name: str, found: Shown) -> Section:
    first = found[0][1]
    title = f"{first.level} against {first.reference}"
    lines = [(place(analysis.discipline, work), effect) for work, effect in found]
    margins = [one.margin_percent for one in analysis.comparisons if math.isfinite(one.margin)]
    text = "; ".join(_spoken(where, effect) for where, effect in lines)
    contrast = Contrast(lines, max(margins, default=0.0))
    drawing = vega.figure(name, contrast.drawn, title, text)
    return Section(
        Figure(title, _caption(analysis, found), drawing),
        [where for where, _ in lines],
        _pairs(lines),
    )


def _caption(analysis: Analysis, found: Shown) -> str:
    first = found[0][1]
    most = max(len(effect.pairs) for _, effect in found)
    caption = (
        f"{first.factor.capitalize()}, from {words.plural(most, 'matched pair')} of "
        f"{analysis.discipline.contender}s that differ in nothing else."
    )
    if most > 1:
        caption += (
            " Thin lines: each pair. Thick line: their mean, only where pairs agree; p is of "
            "all pairs showing the same, by permutation within rounds."
        )
    return f"{caption} Grey means cannot be told from no effect."


def _spoken(where: str, effect: Effect) -> str:
    each = ", ".join(str(estimate) for estimate in effect.estimates)
    return f"{where}: {told(effect)}" + (f" (pairs: {each})" if len(effect.estimates) > 1 else "")


def _pairs(lines: Sequence[tuple[str, Effect]]) -> list[Pair]:
    """A row for each pair: its labels, then its estimate at every place."""
    pairs = dict.fromkeys(pair for _, effect in lines for pair in effect.pairs)
    known = [dict(zip(effect.pairs, effect.estimates, strict=True)) for _, effect in lines]
    return [Pair(*pair, [one.get(pair) for one in known]) for pair in pairs]
