"""The report's figures beyond the bars of each page, each with its text alternative."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from race.analysis.analyse import Analysis
from race.analysis.model import Contest, EffectOn
from race.analysis.values import page_name
from race.report import format as words
from race.report.charts import bars, marks, plots, vega
from race.report.charts.marks import Row
from race.report.sentences import spoken

Accents = dict[str, str]


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing with its caption; `key` explains the lines, where it has any."""

    title: str
    caption: str
    drawing: Markup
    key: tuple[Row, ...] = ()


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


def contender_lines(contests: Iterable[Contest], accents: Accents) -> dict[str, Row]:
    found = [item for contest in contests for item in contest.standings]
    drawn = (item for item in found if item.rps or item.state == "overloaded")
    return marks.lines(drawn, accents)


def pipelining(analysis: Analysis, accents: Accents) -> Figure | None:
    """Requests/s by pipeline depth, for the pages that ran at more than one depth."""
    depths: dict[str, set[int]] = defaultdict(set)
    for contest in analysis.contests:
        if contest.key.load.rate is None:
            depths[contest.title].add(contest.key.load.pipeline)
    contests = [
        contest
        for contest in analysis.contests
        if contest.key.load.rate is None and len(depths[contest.title]) > 1
    ]
    lines = contender_lines(contests, accents)
    rows: list[Row] = [
        {**lines[item.label], "panel": contest.title, "x": contest.key.load.pipeline,
         "y": item.rps.median}
        for contest in contests
        for item in contest.standings
        if item.rps
    ]  # fmt: skip
    if not rows:
        return None
    seen = sorted({row["x"] for row in rows})
    x = {"title": "requests in flight on each connection",
         "scale": {"type": "log", "base": 2, "nice": False, "padding": 8},
         "axis": {"values": seen, "format": "d", "grid": False}}  # fmt: skip
    spoken_rows = [f"{r['panel']}, {r['label']}, depth {r['x']}: {r['y']:,.0f}" for r in rows]
    drawing = vega.figure(
        "pipelining", lambda narrow: plots.curves(rows, x, "requests/s", narrow),
        "Requests per second by pipeline depth", "; ".join(spoken_rows),
    )  # fmt: skip
    return Figure("", "Both scales are logarithmic.", drawing, tuple(lines.values()))


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
    return Figure("", caption, drawing)


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
                        "var(--accent)" if item.effect.direction else "var(--muted)")
        for item in found
    ]  # fmt: skip
    margins = [c.margin_percent for c in contests if math.isfinite(c.margin)]
    pairs = max(len(item.effect.pairs) for item in found)
    caption = (
        f"{factor.capitalize()}, from {words.plural(pairs, 'matched pair')} of engines that differ "
        "in nothing else. Grey points cannot be told from no effect."
    )
    text = "; ".join(f"{row['label']} {row['text']}" for row in rows)
    margin = max(margins, default=0.0)
    drawing = vega.figure(
        name,
        lambda narrow: plots.ratios(rows, margin, narrow),
        f"{level} against {reference}",
        text,
    )
    return Figure(f"{level} against {reference}", caption, drawing)


def noise(analysis: Analysis) -> Figure | None:
    """The A/A twin against its original on every page: what this race shows of nothing."""
    rows = [
        plots.ratio_row(place(c.key.page, c.key.load.pipeline), c.noise.estimate, "var(--ink)")
        for c in analysis.contests
        if c.noise and c.noise.measured_here and c.key.load.rate is None
    ]
    if not rows:
        return None
    text = "; ".join(f"{row['label']} {row['text']}" for row in rows)
    drawing = vega.figure(
        "noise", lambda narrow: plots.ratios(rows, 3.0, narrow), "The A/A twin against itself", text
    )
    caption = (
        "One engine ran twice under two labels. The truth is 1; what the chart shows is the race's "
        "own noise, with 90 % intervals. The band is 3 %."
    )
    return Figure("An engine against itself", caption, drawing)


def place(page: str, pipeline: int) -> str:
    """A page and its pipeline depth: "Ugly, 24 pipelined"."""
    return page_name(page) + (f", {pipeline} pipelined" if pipeline > 1 else "")
