"""The chapter of effects: one level of a factor against another."""

from __future__ import annotations

import math
from dataclasses import dataclass

from race.analysis.model import Analysis
from race.analysis.values import place
from race.report import format as words
from race.report.charts.figures import Figure, ratios
from race.report.charts.rows import Interval
from race.report.table import ReportTable
from race.report.tables import more
from race.report.tables.more import Contrast
from race.report.template import ReportChapter, chapter
from race.stats.effects import Effect


@dataclass(frozen=True, slots=True)
class ContrastSection:
    """One level against another: what is drawn, and every pair of it in figures."""

    figure: Figure
    table: ReportTable


def render(analysis: Analysis) -> ReportChapter | None:
    """Return a figure for each contrast of two levels, with a row for each task."""
    sections = [
        ContrastSection(_figure(analysis, found), more.pairs(analysis, found))
        for found in more.contrasts(analysis)
    ]
    return (
        chapter("What each choice buys", "effects", analysis, sections=sections)
        if sections
        else None
    )


def _figure(analysis: Analysis, found: Contrast) -> Figure:
    first = found[0][1]
    title = f"{first.level} against {first.reference}"
    rows = [_row(place(analysis.discipline, work), effect) for work, effect in found]
    margins = [one.margin_percent for one in analysis.comparisons if math.isfinite(one.margin)]
    drawing = ratios(rows, max(margins, default=0.0), title)
    return Figure(title, _caption(analysis, found), drawing)


def _row(where: str, effect: Effect) -> Interval:
    several = len(effect.estimates) > 1
    colour = "var(--accent)" if effect.direction else "var(--muted)"
    each = effect.estimates if several else ()
    return Interval(where, described(effect), colour, effect.estimate, each)


def described(effect: Effect) -> str:
    """Return the mean, or that there is none, and how likely pairs that agree differ so much."""
    text = str(effect.estimate) if effect.estimate else "pairs disagree"
    if len(effect.estimates) < 2:
        return text
    p = effect.p_homogeneous
    return f"{text}, p {'< 0.001' if p < 0.001 else f'{p:.3f}' if p < 0.1 else f'{p:.2f}'}"


def _caption(analysis: Analysis, found: Contrast) -> str:
    first = found[0][1]
    most = max(len(effect.pairs) for _, effect in found)
    caption = (
        f"{first.factor.capitalize()}, from {words.plural(most, 'matched pair')} of "
        f"{analysis.discipline.contender}s that differ in nothing else."
    )
    if most > 1:
        caption += (
            " Thin lines: each pair. Thick line: their mean, only where pairs agree; p is the "
            "probability, by permutation within rounds, that pairs which show the same differ so "
            "much."
        )
    return f"{caption} Grey means: undecided."
