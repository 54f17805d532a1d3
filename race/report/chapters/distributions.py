"""Rates and times where so many units are under way at once, and means over tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from markupsafe import Markup

from race.analysis.distributions import Means, Timed, summaries, timed
from race.analysis.model import Analysis, Comparison
from race.report import format as words
from race.report import sentences
from race.report.charts import svg
from race.report.charts.colours import palette
from race.report.charts.figures import Figure
from race.report.charts.rows import Bar, Box, bars, boxes
from race.report.table import Table
from race.report.tables import fixed
from race.report.template import filled
from race.stats import histogram

BOXES = "Box: quartiles, with the median; whiskers: p1 to p99; dot: p99.9"
WHISKERS = "whiskers reach from the slowest round to the fastest"


@dataclass(frozen=True, slots=True)
class Section:
    """One task under one load, or the means of several: its heading, table and figure."""

    slug: str
    title: str
    table: Table
    figure: Figure | None


class Distributions:
    """A chapter: for each fixed load the mean over tasks, then every task by itself."""

    def title(self, analysis: Analysis) -> str:
        return "Distributions"

    def render(self, analysis: Analysis) -> Markup | None:
        comparisons = [one for one in analysis.comparisons if one.work.load.fixed]
        every = [(comparison, timed(analysis, comparison)) for comparison in comparisons]
        sections = [_section(analysis, comparison, found) for comparison, found in every if found]
        if not sections:
            return None
        means = [_means(analysis, one) for one in summaries(analysis)]
        return filled("distributions", analysis, means=means, sections=sections)


def _section(analysis: Analysis, comparison: Comparison, found: list[Timed]) -> Section:
    colours = palette(analysis)
    drawn = [
        (Bar(look, rate.median, words.rate(one.item), rate), Box(look, _at(one)))
        for one in found
        if one.item.histogram and (rate := one.item.throughput)
        for look in (colours.look(one.item),)
    ]
    caption = (
        f"Bars: median over rounds; {WHISKERS}. {BOXES}, of all rounds together, on a logarithmic "
        "scale."
    )
    figure = _figure(analysis, comparison.place, caption, drawn) if drawn else None
    table = fixed.distributions(analysis, comparison, found)
    slug = f"times-{sentences.slug(comparison)}"
    return Section(slug, comparison.place, table, figure)


def _at(one: Timed) -> partial[float | None]:
    return partial(histogram.percentile, one.item.histogram)


def _means(analysis: Analysis, found: Means) -> Section:
    colours = palette(analysis)
    drawn = [
        (
            Bar(look, one.throughput.median, words.number(one.throughput.median), one.throughput),
            Box(look, one.percentiles.get),
        )
        for one in found.rows
        for look in (colours.look(one.item),)
    ]
    table = fixed.means(analysis, found)
    caption = (
        f"Bars: geometric mean, its median over rounds; {WHISKERS}. {BOXES}. Each is the geometric "
        "mean of that percentile over the tasks."
    )
    return Section("", table.title, table, _figure(analysis, table.title, caption, drawn))


def _figure(
    analysis: Analysis, heading: str, caption: str, drawn: Sequence[tuple[Bar, Box]]
) -> Figure:
    title = f"{analysis.discipline.unit.capitalize()} per second"
    described = "; ".join(
        f"{rate.look.label} {rate.text}/s, median {words.milliseconds(times.at(50.0))}, "
        f"p99 {words.milliseconds(times.at(99.0))}"
        for rate, times in drawn
    )
    rates, times = zip(*drawn, strict=True)
    drawing = svg.drawing(
        [bars(rates, title), boxes(times, "Latency")], f"{heading}: {title}", described
    )
    return Figure("", caption, drawing)
