"""The three pictures of docs/results/README.md, each an SVG file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from markupsafe import Markup

from race.analysis.model import Comparison, ContenderResult
from race.analysis.pairing import Run
from race.replicate.predictions import PLANTED, TWIN, Claim, FindRun
from race.replicate.record import Replication
from race.report.chapters.latency import over_rates
from race.report.charts.colours import SIGNS, Look
from race.report.charts.lines import Across, Curve, curves
from race.report.charts.rows import OTHER, Interval, intervals
from race.report.charts.standalone import Entry, standalone
from race.report.charts.svg import Scale, element
from race.report.claims.pairs import comparisons
from race.saved.model import NOBODY
from race.stats.estimate import Estimate

COLOURS = {
    "server": "var(--accent1)",
    "database": "var(--accent2)",
    "generator": "var(--accent3)",
    "server and generator": "var(--accent4)",
    NOBODY: "var(--rest)",
}
"""The colour of each party that was saturated."""
MARGIN = 3.0
"""The least margin, in percent."""


def forest(claims: Iterable[Claim], find: FindRun, replications: Sequence[Replication]) -> str:
    """Return the claims: a line for each published run, and one for each replication."""
    rows = [_row(claim, find, replications) for claim in claims]
    key = [
        Entry(_line(None), "a published run"),
        Entry(_line(OTHER), "a replication"),
        Entry(_box("frame"), "predicted for another machine"),
        Entry(_box("band"), f"margin of {MARGIN:g} %"),
    ]
    text = "; ".join(f"{row.name} {row.text}" for row in rows)
    return standalone([intervals(rows, MARGIN)], "Ten ratios, run by run", text, key)


def _row(claim: Claim, find: FindRun, replications: Sequence[Replication]) -> Interval:
    each = list(_twins(claim, find) if claim.id == TWIN else claim.published(find).values())
    others = list(_others(claim, replications))
    number = f"{len(each)} published, {len(others)} replicated"
    return Interval(claim.question, number, "", None, each, others, claim.predicted)


def _twins(claim: Claim, find: FindRun) -> Iterable[Estimate]:
    """Yield the A/A twin against its original in each published run, at 90 %."""
    for name in claim.runs:
        (comparison,) = comparisons([find(name)], claim.task)
        if comparison.noise and comparison.noise.measured_here:
            yield comparison.noise.estimate


def _others(claim: Claim, replications: Sequence[Replication]) -> Iterable[Estimate]:
    """Yield what replications say of a claim; each has an A/A twin and a planted slowdown."""
    for one in replications:
        known = {
            TWIN: one.twin,
            PLANTED: one.planted,
            one.claim: None if one.obstacle else one.ratio,
        }
        if ratio := known.get(claim.id):
            yield ratio.estimate(one.rounds)


def saturation(run: Run) -> str:
    """Return requests/s over connections; the colour of a sign says who was saturated."""
    found = [one for one in run.analysis.comparisons if one.work.load.fixed]
    labels = [item.label for item in found[0].results]
    looks = {
        label: Look(label, label, "var(--ink)", pale=False, sign=sign)
        for label, sign in zip(labels, SIGNS, strict=False)
    }
    by_label = {label: list(_over_connections(found, label)) for label in looks}
    grey = {label: replace(look, colour="var(--rest)") for label, look in looks.items()}
    drawn = [_curve(grey[label], items) for label, items in by_label.items()]
    numbers = sorted({one.work.load.connections for one in found})
    scale = Scale(numbers[0] / 1.2, numbers[-1] * 1.2, log=True)
    panel = curves(drawn, Across(scale, "connections", numbers), found[0].title, "requests/s")
    seen = {_party(item) for items in by_label.values() for _, item in items}
    key = [Entry(_sign(one), one.label) for one in looks.values()]
    key += [Entry(_box(None, colour), _said(who)) for who, colour in COLOURS.items() if who in seen]
    text = "; ".join(
        f"{label}, {number}: {item.throughput.median:,.0f} ({_said(_party(item))})"
        for label, items in by_label.items()
        for number, item in items
        if item.throughput
    )
    return standalone([panel], "Requests/s over connections", text, key)


def _over_connections(
    found: Iterable[Comparison], label: str
) -> Iterable[tuple[int, ContenderResult]]:
    for comparison in found:
        item = comparison.result(label)
        if item and item.throughput:
            yield comparison.work.load.connections, item


def _curve(look: Look, items: Iterable[tuple[int, ContenderResult]]) -> Curve:
    items = list(items)
    points = [(number, item.throughput.median) for number, item in items if item.throughput]
    colours = {float(number): COLOURS.get(_party(item), "var(--ink)") for number, item in items}
    return Curve(look, points, colours=colours)


def _party(item: ContenderResult) -> str:
    return item.saturated or ""


def _said(party: str) -> str:
    return f"{party} saturated"


def latency(run: Run) -> str:
    """Return p50, p99 and p99.9 over the offered rate, with the A/A band."""
    panels, looks = over_rates(run.analysis)
    key = [Entry(_sign(look), look.label) for look in looks]
    key += [
        Entry(_box(None, "var(--ink)", 0.12), "the same engine twice (A/A)"),
        Entry(element("text", "✕", class_="mark", y=4), "did not keep up in at least one cell"),
    ]
    text = "the median hardly differs; at p99.9 the same engine differs from itself as others do"
    return standalone(panels, "Latency over the offered rate, ms", text, key, columns=3)


def _line(colour: str | None) -> Markup:
    style = f"stroke:{colour}" if colour else None
    dot = element("circle", r=2.5 if colour else 2, fill=colour)
    return element("g", element("line", x1=-7, x2=7, class_="whisker", style=style), dot)


def _box(name: str | None, colour: str | None = None, opacity: float | None = None) -> Markup:
    place = {"x": -6, "y": -5, "width": 12, "height": 10}
    return element("rect", class_=name, fill=colour, fill_opacity=opacity, **place)


def _sign(look: Look) -> Markup:
    dashes = {"stroke": look.colour, "stroke_dasharray": look.dash, "class_": "curve"}
    line = element("line", x1=-9, x2=9, **dashes)
    return element("g", line, element("path", d=look.sign, fill=look.colour))
