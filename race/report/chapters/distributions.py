"""Rates and times where so many units are under way at once, and means over tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from markupsafe import Markup

from race.analysis.distributions import Mean, Means, Timed, summaries, timed
from race.analysis.model import Analysis, Comparison
from race.report import format as words
from race.report import sentences
from race.report.charts import vega
from race.report.charts.bars import rate_row
from race.report.charts.colours import Palette, palette
from race.report.charts.distributions import beside
from race.report.charts.figures import Figure
from race.report.charts.marks import Row, paint
from race.report.charts.plots import box
from race.report.template import filled
from race.stats import histogram

PERCENTILES = (25.0, 50.0, 75.0, 90.0, 99.0, 99.9, 99.99)
BOXES = "Box: quartiles, with the median; whiskers: p1 to p99; dot: p99.9"
WHISKERS = "whiskers reach from the slowest round to the fastest"


@dataclass(frozen=True, slots=True)
class Section:
    """One task under one load: its anchor, who did it, and how."""

    slug: str
    comparison: Comparison
    found: list[Timed]
    figure: Figure | None


@dataclass(frozen=True, slots=True)
class Summary:
    """The geometric mean over tasks under one load."""

    means: Means
    figure: Figure


class Distributions:
    """`chapters.Chapter`: for each fixed load the mean over tasks, then every task by itself."""

    def title(self, analysis: Analysis) -> str:
        """See ``Chapter``."""
        return "Distributions"

    def render(self, analysis: Analysis) -> Markup | None:
        """See ``Chapter``."""
        comparisons = [
            comparison for comparison in analysis.comparisons if comparison.work.load.fixed
        ]
        every = [(comparison, timed(analysis, comparison)) for comparison in comparisons]
        sections = [_section(analysis, comparison, found) for comparison, found in every if found]
        if not sections:
            return None
        return filled(
            "distributions",
            analysis,
            summaries=[_summary(analysis, one) for one in summaries(analysis)],
            sections=sections,
            percentiles=PERCENTILES,
            party=analysis.discipline.parties[0],
        )


def _section(analysis: Analysis, comparison: Comparison, found: list[Timed]) -> Section:
    slug, colours = f"times-{sentences.slug(comparison)}", palette(analysis)
    rows = [_row(one, colours) for one in found if one.item.histogram]
    told = "; ".join(
        f"{one.item.label} {words.rate(one.item)}/s, median "
        f"{words.milliseconds(one.percentiles.get(50.0))}, "
        f"p99 {words.milliseconds(one.percentiles.get(99.0))}"
        for one in found
    )
    caption = (
        f"Bars: median over rounds; {WHISKERS}. {BOXES}, of all rounds together, on a logarithmic "
        "scale."
    )
    heading = comparison.place
    drawn = _figure(analysis, f"drawn-{slug}", rows, (heading, told, caption)) if rows else None
    return Section(slug, comparison, found, drawn)


def _row(one: Timed, colours: Palette) -> Row:
    times = box(partial(histogram.percentile, one.item.histogram))
    rate = rate_row(one.item.throughput, words.rate(one.item))
    return {**paint(one.item, colours), **rate, **times}


def _summary(analysis: Analysis, found: Means) -> Summary:
    colours = palette(analysis)
    rows = [_mean_row(one, colours) for one in found.rows]
    told = "; ".join(
        f"{one.item.label} {words.number(one.throughput.median)}/s" for one in found.rows
    )
    heading = f"Geometric mean, {words.load_text(found.load, analysis.discipline.unit)}"
    caption = (
        f"Bars: geometric mean, its median over rounds; {WHISKERS}. {BOXES}. Each is the geometric "
        "mean of that percentile over the tasks, and so of no distribution that anybody saw."
    )
    name = f"drawn-mean-{found.load.connections}"
    return Summary(found, _figure(analysis, name, rows, (heading, told, caption)))


def _mean_row(one: Mean, colours: Palette) -> Row:
    rate = rate_row(one.throughput, words.number(one.throughput.median))
    return {**paint(one.item, colours), **rate, **box(one.percentiles.get)}


def _figure(
    analysis: Analysis, name: str, rows: Sequence[Row], texts: tuple[str, str, str]
) -> Figure:
    """`texts` are its heading, what it shows in words, its caption."""
    heading, told, caption = texts
    title = f"{analysis.discipline.unit.capitalize()} per second"
    drawing = vega.figure(
        name, lambda narrow: beside(rows, title, narrow), f"{heading}: {title}", told
    )
    return Figure("", caption, drawing)
