"""The report's figures on latency; percentiles come from merged histograms only."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from race.analysis.analyse import Analysis
from race.analysis.model import Contest
from race.analysis.values import page_name
from race.report import format as words
from race.report.charts import plots, vega
from race.report.charts.figures import Accents, Figure, closed, contender_lines
from race.report.charts.marks import Row
from race.stats import histogram

CURVE = (50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99)


def latency(analysis: Analysis, accents: Accents) -> list[Figure]:
    """Every latency figure that the race has data for, the open loop first."""
    full = (boxes(analysis, accents), percentile_curves(closed(analysis), accents))
    return [*rate_curves(analysis, accents), *(figure for figure in full if figure)]


def boxes(analysis: Analysis, accents: Accents) -> Figure | None:
    """Latency of the closed loop as box plots."""
    found = [c for c in closed(analysis) if any(item.histogram for item in c.standings)]
    if not found:
        return None
    text = "; ".join(
        f"{contest.title}, {item.label}: median {words.milliseconds(item.latency_us['p50'])}, "
        f"p99 {words.milliseconds(item.latency_us['p99'])}"
        for contest in found
        for item in contest.standings
        if item.latency_us
    )
    drawing = vega.figure(
        "boxes", lambda narrow: plots.boxes(found, accents, narrow), "Latency at full load", text
    )
    caption = (
        "All rounds’ histograms merged. Box: quartiles, with the median; whiskers: p1 to p99; "
        "dot: p99.9. In a closed loop latency follows from throughput; see the open loop for more."
    )
    return Figure("At full load", caption, drawing)


def percentile_curves(contests: Sequence[Contest], accents: Accents) -> Figure | None:
    """Latency over percentile; the x axis opens up the tail."""
    lines = contender_lines(contests, accents)
    rows: list[Row] = [
        {**lines[item.label], "panel": contest.title, "y": us / 1e3,
         "x": -math.log10(1 - percent / 100)}
        for contest in contests
        for item in contest.standings
        if item.label in lines  # some cells count, but no round is complete
        for percent in CURVE
        if (us := histogram.percentile(item.histogram, percent))
    ]  # fmt: skip
    if not rows:
        return None
    ends = [-math.log10(1 - percent / 100) for percent in (50, 90, 99, 99.9, 99.99)]
    label = "'p' + format(100 * (1 - pow(10, -datum.value)), '~g')"
    x = {"title": None, "scale": {"nice": False, "domain": [ends[0], ends[-1]]},
         "axis": {"values": ends, "labelExpr": label, "grid": False,
                  "labelFlush": True}}  # fmt: skip
    drawing = vega.figure(
        "percentiles", lambda narrow: plots.curves(rows, x, "ms", narrow), "Latency by percentile",
        "The same distributions as the box plots, from the median to p99.99.",
    )  # fmt: skip
    caption = "Latency by percentile, all rounds’ histograms merged."
    return Figure("The tail", caption, drawing, tuple(lines.values()))


def rate_curves(analysis: Analysis, accents: Accents) -> list[Figure]:
    """p50, p99 and p99.9 over the offered rate, a figure for each page of the open loop."""
    by_page: dict[str, list[Contest]] = defaultdict(list)
    for contest in analysis.contests:
        if contest.key.load.rate is not None:
            by_page[contest.key.page].append(contest)
    return [
        _rates(page, found, accents)
        for page, found in by_page.items()
        if any(item.rps for contest in found for item in contest.standings)
    ]


def _rates(page: str, contests: Sequence[Contest], accents: Accents) -> Figure:
    lines = contender_lines(contests, accents)
    rows: list[Row] = [
        {**lines[item.label], "panel": panel, "x": contest.key.load.rate,
         "y": item.latency_us[panel] / 1e3}
        for panel in ("p50", "p99", "p99.9")
        for contest in contests
        for item in contest.standings
        if item.rps and item.latency_us.get(panel)
    ]  # fmt: skip
    late = [
        (contest.key.load.rate, item)
        for contest in contests
        for item in contest.standings
        if item.state == "overloaded"
    ]
    lost = [{**lines[item.label], "x": rate} for rate, item in late]
    limits = {item.label: rate for rate, item in reversed(late)}
    x = {"title": "requests/s offered", "scale": {"zero": False, "nice": True},
         "axis": {"format": "~s", "tickCount": 4, "grid": False}}  # fmt: skip
    told = [f"{r['label']} at {r['x']:,.0f}/s: {r['panel']} {r['y']:.2f} ms" for r in rows]
    told += [f"{item.label} at {rate:,.0f}/s: {item.reason}" for rate, item in late]
    text = "; ".join(told)
    drawing = vega.figure(
        f"rates-{page}", lambda narrow: plots.curves(rows, x, "ms", narrow, lost),
        f"{page_name(page)}: latency over the offered rate", text,
    )  # fmt: skip
    caption = (
        "Open loop: latency counts from when a request was due, so a stalled server cannot hide "
        "its queue (no coordinated omission). All rounds’ histograms merged."
    )
    if late:
        named = "; ".join(f"{label} at {rate:,.0f}/s" for label, rate in limits.items())
        caption += f" ✕: did not keep up at least once, so no cell at that rate counts: {named}."
    return Figure(f"{page_name(page)} at a fixed rate", caption, drawing, tuple(lines.values()))
