"""Latency at fixed rates, from merged histograms; in a closed loop it would restate throughput."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from race.analysis.distributions import OPEN_LOOP, Latencies, latencies
from race.analysis.model import Analysis, Comparison, ContenderResult
from race.report import format as words
from race.report.charts import svg
from race.report.charts.colours import Look, Palette, palette
from race.report.charts.figures import Figure, lines
from race.report.charts.lines import Across, Curve, curves
from race.report.charts.rows import LatencyBox, boxes
from race.report.charts.svg import Panel, Scale
from race.report.tables import rates
from race.report.template import ReportChapter, chapter
from race.saved.model import Work
from race.stats import histogram

CURVE = (50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99)
MARKED = (50.0, 90.0, 99.0, 99.9, 99.99)
Found = Mapping[Work, Latencies]


def render(analysis: Analysis) -> ReportChapter | None:
    """Return tables of fixed rates, then every figure that there is data for."""
    shared, colours = rates.shared(analysis), palette(analysis)
    found = {one.work: latencies(analysis, one) for one in analysis.comparisons if one.rated}
    figures = [*_over_rates(analysis, found, colours), *_boxes(shared, colours)]
    figures += _tails(shared, colours)
    if not figures:
        return None
    tables = [(one, rates.rated(analysis, one, found[one.work])) for one in shared]
    return chapter("Latency", "latency", analysis, figures=figures, tables=tables)


def _at_rate(comparison: Comparison) -> str:
    """Return the title of a panel: "Good at 2,000/s"."""
    return f"{comparison.title} at {comparison.work.load.rate:,.0f}/s"


def _boxes(comparisons: Sequence[Comparison], colours: Palette) -> Iterator[Figure]:
    """Return latency as box plots, a panel for each task and rate."""
    found = [
        (comparison, items)
        for comparison in comparisons
        if (items := [item for item in comparison.results if item.histogram])
    ]
    if not found:
        return
    panels = [
        boxes([_box(item, colours) for item in items], _at_rate(comparison))
        for comparison, items in found
    ]
    described = "; ".join(
        f"{_at_rate(comparison)}, {item.label}: median "
        f"{words.milliseconds(item.latency_us.get('p50'))}, "
        f"p99 {words.milliseconds(item.latency_us.get('p99'))}"
        for comparison, items in found
        for item in items
    )
    caption = (
        "All rounds’ histograms merged. Box: quartiles, with the median; whiskers: p1 to p99; "
        "dot: p99.9."
    )
    drawing = svg.drawing(panels, "Latency at the same rate", described)
    yield Figure("At the same rate", caption, drawing)


def _box(item: ContenderResult, colours: Palette) -> LatencyBox:
    return LatencyBox(colours.look(item), partial(histogram.percentile, item.histogram))


def _tails(comparisons: Sequence[Comparison], colours: Palette) -> Iterator[Figure]:
    """Return latency over percentile; the horizontal axis opens up the tail."""
    known = lines(comparisons, colours)
    scale = Scale(_nines(CURVE[0]), _nines(CURVE[-1]))
    across = Across(scale, "", [_nines(one) for one in MARKED], _percentile)
    panels: list[Panel] = []
    for comparison in comparisons:
        drawn = [
            Curve(known[item.label], _tail(item))
            for item in comparison.results
            if item.label in known and item.histogram
        ]
        if drawn:
            panels.append(curves(drawn, across, _at_rate(comparison), "ms"))
    if panels:
        described = "The same distributions as the box plots, from the median to p99.99."
        drawing = svg.drawing(panels, "Latency by percentile", described)
        caption = "Latency by percentile, all rounds’ histograms merged."
        yield Figure("The tail", caption, drawing, tuple(known.values()))


def _tail(item: ContenderResult) -> list[tuple[float, float]]:
    found = ((one, histogram.percentile(item.histogram, one)) for one in CURVE)
    return [(_nines(one), us / 1e3) for one, us in found if us]


def _nines(percent: float) -> float:
    return -math.log10(1 - percent / 100)


def _percentile(nines: float) -> str:
    return f"p{100 * (1 - 10**-nines):.6g}"


def _over_rates(analysis: Analysis, latencies: Found, colours: Palette) -> list[Figure]:
    """Return p50, p99 and p99.9 over the offered rate, a figure for each task of the open loop."""
    by_task: dict[str, list[Comparison]] = defaultdict(list)
    for comparison in analysis.comparisons:
        if comparison.rated:
            by_task[comparison.work.task].append(comparison)
    return [
        _rates(found, latencies, colours)
        for found in by_task.values()
        if any(item.throughput for comparison in found for item in comparison.results)
    ]


def _rates(comparisons: Sequence[Comparison], latencies: Found, colours: Palette) -> Figure:
    title, late = comparisons[0].title, _late(comparisons)
    known = lines(comparisons, colours)
    panels: list[Panel] = []
    described: list[str] = []
    for percentile in OPEN_LOOP:
        drawn = _curves(comparisons, known, percentile)
        described += [
            f"{curve.look.label} at {x:,.0f}/s: {percentile} {words.number(y)} ms"
            for curve in drawn
            for x, y in curve.points
        ]
        panels += _panel(drawn, percentile, comparisons, latencies)
    described += [f"{item.label} at {rate:,.0f}/s: {item.reason}" for rate, item in late]
    heading = f"{title}: latency over the offered rate"
    drawing = svg.drawing(panels, heading, "; ".join(described))
    caption = _rates_caption(comparisons[0], late)
    return Figure(f"{title} at a fixed rate", caption, drawing, tuple(known.values()))


def over_rates(analysis: Analysis) -> tuple[list[Panel], list[Look]]:
    """Return a panel over the offered rate for each percentile, and the lines in them."""
    comparisons = [one for one in analysis.comparisons if one.rated]
    found = {one.work: latencies(analysis, one) for one in comparisons}
    known = lines(comparisons, palette(analysis))
    panels = [
        panel
        for percentile in OPEN_LOOP
        for panel in _panel(_curves(comparisons, known, percentile), percentile, comparisons, found)
    ]
    return panels, list(known.values())


def _panel(
    drawn: Sequence[Curve], percentile: str, comparisons: Sequence[Comparison], latencies: Found
) -> Iterator[Panel]:
    """Yield the panel of a percentile; none where nobody has it."""
    offered = sorted({_rate(one) for one in comparisons})
    scale = Scale(offered[0] * 0.9, offered[-1] * 1.1)
    unit = comparisons[0].discipline.unit
    across = Across(scale, f"{unit}/s offered", scale.ticks(4), words.short)
    if any(curve.points for curve in drawn):
        band = _band(percentile, comparisons, latencies)
        yield curves(drawn, across, percentile, "ms", band)


def _curves(
    comparisons: Sequence[Comparison], known: Mapping[str, Look], percentile: str
) -> list[Curve]:
    """Return a percentile of each contender over the offered rate."""
    every = [(_rate(one), item) for one in comparisons for item in one.results]
    return [
        Curve(
            look,
            [
                (rate, item.latency_us[percentile] / 1e3)
                for rate, item in every
                if item.label == label and item.throughput and item.latency_us.get(percentile)
            ],
            lost=[rate for rate, item in _late(comparisons) if item.label == label],
        )
        for label, look in known.items()
    ]


def _late(comparisons: Sequence[Comparison]) -> list[tuple[float, ContenderResult]]:
    """Return who did not keep up with a rate."""
    every = ((_rate(one), item) for one in comparisons for item in one.results)
    return [(rate, item) for rate, item in every if item.state == "overloaded"]


def _band(
    percentile: str, comparisons: Sequence[Comparison], latencies: Found
) -> list[tuple[float, float, float]]:
    """Return rate, least and largest milliseconds of the A/A band around the baseline."""
    found = []
    for comparison in comparisons:
        item = comparison.result(comparison.baseline)
        us = item and item.latency_us.get(percentile)
        factor = latencies[comparison.work].bands.get(percentile)
        if us and factor:
            found.append((_rate(comparison), us / factor / 1e3, us * factor / 1e3))
    return found


def _rate(comparison: Comparison) -> float:
    return comparison.work.load.rate or 0.0


def _rates_caption(comparison: Comparison, late: Sequence[tuple[float, ContenderResult]]) -> str:
    caption = (
        f"Open loop: latency counts from when {words.a(words.one(comparison.discipline.unit))} was "
        f"due, so a stalled {comparison.party} cannot hide its queue (no coordinated omission). "
        "All rounds’ histograms merged. Grey: how far the same code, run twice (A/A), may lie from "
        f"{comparison.baseline}."
    )
    if not late:
        return caption
    limits = {item.label: rate for rate, item in reversed(late)}
    named = "; ".join(f"{label} at {rate:,.0f}/s" for label, rate in limits.items())
    return f"{caption} ✕: did not keep up at least once, so no cell at that rate counts: {named}."
