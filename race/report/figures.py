"""The report's figures beyond the bars of each page, each with its text alternative."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from race.analysis import Analysis
from race.findings import Contest, EffectOn
from race.report import bars, plots, vega, words
from race.report.bars import Row
from race.report.chapters import spoken
from race.stats import histogram

Accents = dict[str, str]
CURVE = (50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99)


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing with its caption."""

    title: str
    caption: str
    drawing: Markup


def closed(analysis: Analysis) -> list[Contest]:
    """The contests of the closed loop without pipelining."""
    return [c for c in analysis.contests if c.key.load.rate is None and c.key.load.pipeline == 1]


def page_bars(contest: Contest, accents: Accents, name: str) -> Markup | None:
    """Requests/s and CPU per request of one contest."""
    if not any(item.rps for item in contest.standings):
        return None
    title = f"{contest.title}, {contest.key.load.describe()}: requests/s and CPU per request"
    return vega.figure(
        name, lambda narrow: bars.bars(contest, accents, narrow), title, spoken(contest)
    )


def pipelining(analysis: Analysis, accents: Accents) -> Figure | None:
    """Requests/s by pipeline depth, for the pages that ran at more than one depth."""
    depths: dict[str, set[int]] = defaultdict(set)
    for contest in analysis.contests:
        if contest.key.load.rate is None:
            depths[contest.title].add(contest.key.load.pipeline)
    panels = [page for page, found in depths.items() if len(found) > 1]
    rows: list[Row] = [
        {**plots.line(item, accents), "panel": contest.title, "dot": True,
         "x": contest.key.load.pipeline, "y": item.rps.median}
        for contest in analysis.contests
        if contest.title in panels and contest.key.load.rate is None
        for item in contest.standings
        if item.rps
    ]  # fmt: skip
    if not rows:
        return None
    seen = sorted({row["x"] for row in rows})
    x = {"title": "requests in flight on each connection",
         "scale": {"type": "log", "base": 2, "nice": False, "padding": 8},
         "axis": {"values": seen, "format": "d", "grid": False}}  # fmt: skip
    y = {"title": "requests/s", "scale": {"type": "log", "nice": False, "padding": 10},
         "axis": {"format": "~s", "tickCount": 5, "domain": False}}  # fmt: skip
    spoken_rows = [f"{r['panel']}, {r['label']}, depth {r['x']}: {r['y']:,.0f}" for r in rows]
    drawing = vega.figure(
        "pipelining", lambda narrow: plots.curves(rows, x, y, panels, narrow),
        "Requests per second by pipeline depth", "; ".join(spoken_rows),
    )  # fmt: skip
    return Figure("Pipelining", "Both scales are logarithmic.", drawing)


def shares(analysis: Analysis, accents: Accents) -> Figure | None:
    """Where the CPU time of a page goes: web server or database."""
    found = [
        contest
        for contest in closed(analysis)
        if any(
            item.cpu_us.get("database", 0) > 0.02 * item.cpu_us.get("server", math.inf)
            for item in contest.standings
        )
    ]
    if not found:
        return None
    text = "; ".join(
        f"{contest.title}, {item.label}: server {words.number(item.cpu_us.get('server'))},"
        f" database {words.number(item.cpu_us.get('database'))}"
        for contest in found
        for item in contest.standings
        if item.cpu_us
    )
    drawing = vega.figure(
        "shares", lambda narrow: bars.shares(found, accents, narrow),
        "CPU microseconds per request of web server and database", text,
    )  # fmt: skip
    caption = "CPU microseconds per request: the web server in its colour, the database in grey."
    return Figure("Web and database", caption, drawing)


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
        "All rounds' histograms merged. Box: quartiles, with the median; whiskers: p1 to p99; "
        "dot: p99.9. In a closed loop latency follows from throughput; see the open loop for more."
    )
    return Figure("At full load", caption, drawing)


def percentile_curves(contests: Sequence[Contest], accents: Accents) -> Figure | None:
    """Latency over percentile; the x axis opens up the tail."""
    rows: list[Row] = [
        {**plots.line(item, accents), "panel": contest.title, "y": us / 1e3,
         "x": -math.log10(1 - percent / 100)}
        for contest in contests
        for item in contest.standings
        for percent in CURVE
        if (us := histogram.percentile(item.histogram, percent))
    ]  # fmt: skip
    if not rows:
        return None
    panels = list(dict.fromkeys(row["panel"] for row in rows))[:3]
    ticks = [-math.log10(1 - percent / 100) for percent in (50, 90, 99, 99.9, 99.99)]
    label = "'p' + format(100 * (1 - pow(10, -datum.value)), '~g')"
    x = {"title": None, "scale": {"nice": False, "domain": [ticks[0], ticks[-1]]},
         "axis": {"values": ticks, "labelExpr": label, "grid": False}}  # fmt: skip
    drawing = vega.figure(
        "percentiles",
        lambda narrow: plots.curves(rows, x, _milliseconds(), panels, narrow),
        "Latency by percentile",
        "The same distributions as the box plots, from the median to p99.99.",
    )
    return Figure("The tail", "Latency by percentile, all rounds' histograms merged.", drawing)


def _milliseconds() -> Row:
    return {"title": "ms", "scale": {"type": "log", "nice": False, "padding": 8},
            "axis": {"format": "~s", "tickCount": 5, "domain": False}}  # fmt: skip


def rate_curves(analysis: Analysis, accents: Accents) -> list[Figure]:
    """p50, p99 and p99.9 over the offered rate, a figure for each page of the open loop."""
    by_page: dict[str, list[Contest]] = defaultdict(list)
    for contest in analysis.contests:
        if contest.key.load.rate is not None:
            by_page[contest.title].append(contest)
    return [_rates(page, found, accents) for page, found in by_page.items()]


def _rates(page: str, contests: Sequence[Contest], accents: Accents) -> Figure:
    panels = ("p50", "p99", "p99.9")
    rows: list[Row] = [
        {**plots.line(item, accents), "panel": panel, "dot": True, "x": contest.key.load.rate,
         "y": item.latency_us[panel] / 1e3}
        for contest in contests
        for item in contest.standings
        for panel in panels
        if item.latency_us.get(panel)
    ]  # fmt: skip
    x = {"title": "requests/s offered", "scale": {"zero": False, "nice": True},
         "axis": {"format": "~s", "tickCount": 4, "grid": False}}  # fmt: skip
    text = "; ".join(f"{r['label']} at {r['x']:,.0f}/s: {r['panel']} {r['y']:.2f} ms" for r in rows)
    drawing = vega.figure(
        f"rates-{page}".lower().replace(" ", "-"),
        lambda narrow: plots.curves(rows, x, _milliseconds(), panels, narrow),
        f"{page}: latency over the offered rate", text,
    )  # fmt: skip
    return Figure(f"{page} at a fixed rate",
                  "Open loop: latency counts from when a request was due, so a stalled server "
                  "cannot hide its queue (no coordinated omission).", drawing)  # fmt: skip


def effects(analysis: Analysis) -> list[Figure]:
    """What each choice buys: a figure for each contrast, a row for each page and load."""
    groups: dict[tuple[str, str, str], list[EffectOn]] = defaultdict(list)
    for found in analysis.effects:
        groups[found.effect.factor, found.effect.level, found.effect.reference].append(found)
    return [
        _contrast(f"effect-{place}", *names, found, analysis.contests)
        for place, (names, found) in enumerate(groups.items(), start=1)
    ]


def _contrast(
    name: str, factor: str, level: str, reference: str,
    found: Sequence[EffectOn], contests: Sequence[Contest],
) -> Figure:  # fmt: skip
    rows = [
        plots.ratio_row(place(item.page, item.load.pipeline), item.effect.estimate,
                        "var(--accent)", item.effect.direction != 0)
        for item in found
    ]  # fmt: skip
    margins = [c.margin_percent for c in contests if math.isfinite(c.margin)]
    pairs = max(len(item.effect.pairs) for item in found)
    caption = (
        f"{factor.capitalize()}, from {words.plural(pairs, 'matched pair')} of engines that differ "
        "in nothing else. Grey points cannot be told from no effect."
    )
    text = "; ".join(f"{row['label']} {row['text']}" for row in rows)
    drawing = vega.figure(
        name, _ratio_chart(rows, max(margins, default=0.0)), f"{level} against {reference}", text
    )
    return Figure(f"{level} against {reference}", caption, drawing)


def noise(analysis: Analysis) -> Figure | None:
    """The A/A twin against its original on every page: what this race shows of nothing."""
    rows = [
        plots.ratio_row(
            place(c.key.page, c.key.load.pipeline), c.noise.estimate, "var(--ink)", True
        )
        for c in analysis.contests
        if c.noise and c.noise.measured_here and c.key.load.rate is None
    ]
    if not rows:
        return None
    text = "; ".join(f"{row['label']} {row['text']}" for row in rows)
    drawing = vega.figure("noise", _ratio_chart(rows, 3.0), "The A/A twin against itself", text)
    caption = (
        "One engine ran twice under two labels. The truth is 1; what the chart shows is the race's "
        "own noise, with 90 % intervals. The band is 3 %."
    )
    return Figure("An engine against itself", caption, drawing)


def _ratio_chart(rows: Sequence[Row], margin: float) -> Callable[[bool], vega.Spec]:
    least = min(1 / (1 + margin / 100), *(row["low"] for row in rows))
    most = max(1 + margin / 100, *(row["high"] for row in rows))
    room = (most / least) ** 0.04
    domain = (least / room, most * room ** (5 if most / least < 4 else 8))
    return lambda narrow: plots.ratios(rows, domain, margin, narrow)


def place(page: str, pipeline: int) -> str:
    """A page and its pipeline depth: "Ugly, 24 pipelined"."""
    return words.page(page) + (f", {pipeline} pipelined" if pipeline > 1 else "")
