"""The report's figures on latency at fixed rates, from merged histograms only."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from race.analysis.model import Analysis, Comparison, ContenderResult
from race.report import format as words
from race.report.charts import plots, vega
from race.report.charts.colours import Palette
from race.report.charts.curves import Curves
from race.report.charts.figures import Figure, contender_lines
from race.report.charts.marks import Row, at_rate
from race.report.charts.vega import Spec
from race.stats import histogram

CURVE = (50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99)


def latency(analysis: Analysis, shared: Sequence[Comparison], palette: Palette) -> list[Figure]:
    """Every latency figure of the open loop that there is data for.

    `shared` are the comparisons in which several contenders served the same rate.
    """
    figures = (boxes(shared, palette), percentile_curves(shared, palette))
    return [*rate_curves(analysis, palette), *(figure for figure in figures if figure)]


def boxes(comparisons: Sequence[Comparison], palette: Palette) -> Figure | None:
    """Latency as box plots, a panel for each task and rate."""
    found = [c for c in comparisons if any(item.histogram for item in c.results)]
    if not found:
        return None
    text = "; ".join(
        f"{at_rate(comparison)}, {item.label}: median "
        f"{words.milliseconds(item.latency_us.get('p50'))}, "
        f"p99 {words.milliseconds(item.latency_us.get('p99'))}"
        for comparison in found
        for item in comparison.results
        if item.latency_us
    )
    heading = "Latency at the same rate"
    drawing = vega.figure(
        "boxes", lambda narrow: plots.boxes(found, palette, narrow), heading, text
    )
    caption = (
        "All rounds’ histograms merged. Box: quartiles, with the median; whiskers: p1 to p99; "
        "dot: p99.9."
    )
    return Figure("At the same rate", caption, drawing)


def percentile_curves(comparisons: Sequence[Comparison], palette: Palette) -> Figure | None:
    """Latency over percentile; the x axis opens up the tail."""
    lines = contender_lines(comparisons, palette)
    rows: list[Row] = [
        {**lines[item.label], "panel": at_rate(comparison), "y": us / 1e3, "x": _nines(percent)}
        for comparison in comparisons
        for item in comparison.results
        if item.label in lines  # some cells count, but no round is complete
        for percent in CURVE
        if (us := histogram.percentile(item.histogram, percent))
    ]
    if not rows:
        return None
    text = "The same distributions as the box plots, from the median to p99.99."
    curves = Curves(rows, _percentile_axis(), "ms")
    drawing = vega.figure("percentiles", curves.drawn, "Latency by percentile", text)
    caption = "Latency by percentile, all rounds’ histograms merged."
    return Figure("The tail", caption, drawing, tuple(lines.values()))


def _nines(percent: float) -> float:
    return -math.log10(1 - percent / 100)


def _percentile_axis() -> Spec:
    ends = [_nines(percent) for percent in (50, 90, 99, 99.9, 99.99)]
    label = "'p' + format(100 * (1 - pow(10, -datum.value)), '~g')"
    axis = {"values": ends, "labelExpr": label, "grid": False, "labelFlush": True}
    return {"title": None, "scale": {"nice": False, "domain": [ends[0], ends[-1]]}, "axis": axis}


def rate_curves(analysis: Analysis, palette: Palette) -> list[Figure]:
    """p50, p99 and p99.9 over the offered rate, a figure for each task of the open loop."""
    by_task: dict[str, list[Comparison]] = defaultdict(list)
    for comparison in analysis.comparisons:
        if comparison.rated:
            by_task[comparison.work.task].append(comparison)
    return [
        _rates(task, found, palette)
        for task, found in by_task.items()
        if any(item.throughput for comparison in found for item in comparison.results)
    ]


def _rates(task: str, comparisons: Sequence[Comparison], palette: Palette) -> Figure:
    lines = contender_lines(comparisons, palette)
    rows: list[Row] = [
        {
            **lines[item.label],
            "panel": panel,
            "x": comparison.work.load.rate,
            "y": item.latency_us[panel] / 1e3,
        }
        for panel in ("p50", "p99", "p99.9")
        for comparison in comparisons
        for item in comparison.results
        if item.throughput and item.latency_us.get(panel)
    ]
    late = [
        (comparison.work.load.rate or 0.0, item)
        for comparison in comparisons
        for item in comparison.results
        if item.state == "overloaded"
    ]
    lost = [{**lines[item.label], "x": rate} for rate, item in late]
    unit, title = comparisons[0].discipline.unit, comparisons[0].title
    curves = Curves(rows, _rate_axis(unit), "ms", lost)
    told = [
        f"{r['label']} at {r['x']:,.0f}/s: {r['panel']} {words.number(r['y'])} ms" for r in rows
    ]
    told += [f"{item.label} at {rate:,.0f}/s: {item.reason}" for rate, item in late]
    heading = f"{title}: latency over the offered rate"
    drawing = vega.figure(f"rates-{task}", curves.drawn, heading, "; ".join(told))
    caption = _rates_caption(comparisons[0], late)
    return Figure(f"{title} at a fixed rate", caption, drawing, tuple(lines.values()))


def _rate_axis(unit: str) -> Spec:
    return {
        "title": f"{unit}/s offered",
        "scale": {"zero": False, "nice": True},
        "axis": {"format": "~s", "tickCount": 4, "grid": False},
    }


def _rates_caption(comparison: Comparison, late: Sequence[tuple[float, ContenderResult]]) -> str:
    caption = (
        f"Open loop: latency counts from when {words.a(words.one(comparison.discipline.unit))} was "
        f"due, so a stalled {comparison.party} cannot hide its queue (no coordinated omission). "
        "All rounds’ histograms merged."
    )
    if not late:
        return caption
    limits = {item.label: rate for rate, item in reversed(late)}
    named = "; ".join(f"{label} at {rate:,.0f}/s" for label, rate in limits.items())
    return f"{caption} ✕: did not keep up at least once, so no cell at that rate counts: {named}."
