"""Rates and times where so many units are under way at once, and means over tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from race.analysis.distributions import ROWS, Means, Timed, drawn, summaries, timed
from race.analysis.model import Analysis, Comparison, Spread
from race.report import format as words
from race.report import sentences
from race.report.charts import svg
from race.report.charts.colours import Look, palette
from race.report.charts.figures import Figure
from race.report.charts.rows import WHOLE, Bar, LatencyBox, bars, boxes
from race.report.table import ReportTable
from race.report.tables import fixed
from race.report.template import ReportChapter, chapter

BOXES = "Box: quartiles, with the median; whiskers: least and longest; dots: p90, p99, p99.99"
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
    by_rows = all((one.rows or 0) > 1 for one in found)
    rows = [
        (_bar(look, rate, one.rows if by_rows else None, bound), LatencyBox(look, drawn(one).get))
        for one in found
        if one.item.histogram and (rate := one.item.throughput)
        for look, bound in ((colours.look(one.item), one.item.state == "at-least"),)
    ]
    caption = (
        f"Bars: median over rounds; {WHISKERS}. {BOXES}, of all rounds together, on a logarithmic "
        "scale."
    )
    unit = ROWS if by_rows else analysis.discipline.unit
    figure = _figure(unit, comparison.place, caption, rows) if rows else None
    table = fixed.distributions(analysis, comparison, found)
    slug = f"times-{sentences.slug(comparison)}"
    return TimesSection(slug, comparison.place, table, figure)


def _bar(look: Look, rate: Spread, rows: float | None, bound: bool = False) -> Bar:
    """Return the bar of a rate, or of the rows of so many in each unit."""
    each = rows or 1.0
    found = Spread(rate.median * each, rate.low * each, rate.high * each)
    return Bar(look, found.median, f"{'≥ ' * bound}{words.number(found.median)}", found)


def _means(analysis: Analysis, found: Means) -> TimesSection:
    colours = palette(analysis)
    by_rows = all((one.rows or 0) > 1 for one in found.rows)
    rows = [
        (
            _bar(look, one.throughput, one.rows if by_rows else None),
            LatencyBox(look, drawn(one).get),
        )
        for one in found.rows
        for look in (colours.look(one.item),)
    ]
    table = fixed.means(analysis, found)
    caption = (
        f"Bars: geometric mean, its median over rounds; {WHISKERS}. {BOXES}. Each is the geometric "
        "mean of that percentile over the tasks."
    )
    unit = ROWS if by_rows else analysis.discipline.unit
    return TimesSection("", table.title, table, _figure(unit, table.title, caption, rows))


def _figure(
    unit: str, heading: str, caption: str, rows: Sequence[tuple[Bar, LatencyBox]]
) -> Figure:
    title = f"{unit.capitalize()} per second"
    described = "; ".join(
        f"{rate.look.label} {rate.text}/s, median {words.milliseconds(times.at(50.0))}, "
        f"p99 {words.milliseconds(times.at(99.0))}"
        for rate, times in rows
    )
    rates, times = zip(*rows, strict=True)
    drawing = svg.drawing(
        [bars(rates, title), boxes(times, "Latency", WHOLE)], f"{heading}: {title}", described
    )
    return Figure("", caption, drawing)
