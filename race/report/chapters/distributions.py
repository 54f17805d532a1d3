"""Rates and times where so many units are under way at once, and means over tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from race.analysis.distributions import Means, Timed, summaries, timed
from race.analysis.model import Analysis, Comparison
from race.report import format as words
from race.report import sentences
from race.report.charts import svg
from race.report.charts.colours import palette
from race.report.charts.figures import Figure
from race.report.charts.rows import Bar, LatencyBox, bars, boxes
from race.report.table import ReportTable
from race.report.tables import fixed
from race.report.template import ReportChapter, chapter
from race.stats import histogram

BOXES = "Box: quartiles, with the median; whiskers: p1 to p99; dot: p99.9"
WHISKERS = "whiskers reach from the slowest round to the fastest"


@dataclass(frozen=True, slots=True)
class TimesSection:
    """One task under one load, or the means of several: its heading, table and figure."""

    slug: str
    title: str
    table: ReportTable
    figure: Figure | None


def render(analysis: Analysis) -> ReportChapter | None:
    """Return for each fixed load the mean over tasks, then every task by itself."""
    comparisons = [one for one in analysis.comparisons if one.work.load.fixed]
    every = [(comparison, timed(analysis, comparison)) for comparison in comparisons]
    sections = [_section(analysis, comparison, found) for comparison, found in every if found]
    if not sections:
        return None
    means = [_means(analysis, one) for one in summaries(analysis)]
    return chapter("Distributions", "distributions", analysis, means=means, sections=sections)


def _section(analysis: Analysis, comparison: Comparison, found: list[Timed]) -> TimesSection:
    colours = palette(analysis)
    drawn = [
        (Bar(look, rate.median, words.rate(one.item), rate), LatencyBox(look, _at(one)))
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
    return TimesSection(slug, comparison.place, table, figure)


def _at(one: Timed) -> partial[float | None]:
    return partial(histogram.percentile, one.item.histogram)


def _means(analysis: Analysis, found: Means) -> TimesSection:
    colours = palette(analysis)
    drawn = [
        (
            Bar(look, one.throughput.median, words.number(one.throughput.median), one.throughput),
            LatencyBox(look, one.percentiles.get),
        )
        for one in found.rows
        for look in (colours.look(one.item),)
    ]
    table = fixed.means(analysis, found)
    caption = (
        f"Bars: geometric mean, its median over rounds; {WHISKERS}. {BOXES}. Each is the geometric "
        "mean of that percentile over the tasks."
    )
    return TimesSection("", table.title, table, _figure(analysis, table.title, caption, drawn))


def _figure(
    analysis: Analysis, heading: str, caption: str, drawn: Sequence[tuple[Bar, LatencyBox]]
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
