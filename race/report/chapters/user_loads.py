"""The chapter of what went on over time: under user loads, and in cells that were watched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from race.analysis import user_loads
from race.analysis.model import Analysis, Comparison
from race.analysis.user_loads import UserLoadGroup, UserLoadResult, WatchedComparison
from race.report import format as words
from race.report import sentences
from race.report.charts import svg
from race.report.charts.colours import palette
from race.report.charts.figures import Figure
from race.report.charts.lines import DrawnTimeline, timeline
from race.report.table import ReportTable
from race.report.tables import user_loads as users
from race.report.template import ReportChapter, chapter

SIDES = 4
"""The number of contenders side by side; more are further figures."""
CAPTION = (
    "Line: mean over rounds; band: from the least round to the largest. The panels of a row have "
    "one scale. Connections are those that the contender has open, idle ones too."
)
CONNECTIONS = "connections to the database"


@dataclass(frozen=True, slots=True)
class LoadSection:
    """One load: its heading, how it was driven, remarks, figures, tables."""

    title: str
    load: str
    late: str
    figures: list[Figure]
    tables: list[ReportTable]


def render(analysis: Analysis) -> ReportChapter | None:
    """Return what went on under each user load, and in cells that were watched without one."""
    groups, watched = user_loads.user_loads(analysis), user_loads.watched(analysis)
    if not groups and not watched:
        return None
    return chapter(
        "Users over time" if user_loads.user_loads(analysis) else "Over time",
        "user_loads",
        analysis,
        sections=[_section(analysis, group) for group in groups],
        watched=[_watched(analysis, one) for one in watched],
        notes=user_loads.known_limits(groups),
        lost=_lost(analysis),
    )


def _section(analysis: Analysis, group: UserLoadGroup) -> LoadSection:
    shown = {
        "users": ("users", 1.0),
        "throughput": (f"{analysis.discipline.unit}/s", 1.0),
        "p50": ("median, ms", 1e3),
        "p95": ("p95, ms", 1e3),
        "connections": (CONNECTIONS, 1.0),
    }
    load = group.comparison.work.load
    options = (
        "".join(f"; {name} {value}" for name, value in load.user_load.options)
        if load.user_load
        else ""
    )
    about = (
        f"{group.comparison.load}, {load.generator}, {load.duration_s:g} s a cell, "
        f"{words.plural(group.rounds, 'round')}{options}"
    )
    tables = [users.pairs(analysis, group)] if group.pairs else []
    return LoadSection(
        group.title,
        about,
        " ".join(sentences.late(side) for side in group.sides if side.late),
        _figures(analysis, group.comparison, group.sides, shown),
        [*tables, users.users(analysis, group), users.parts(group)],
    )


def _watched(analysis: Analysis, found: WatchedComparison) -> LoadSection:
    shown = {
        "throughput": (f"{analysis.discipline.unit}/s", 1.0),
        "connections": (CONNECTIONS, 1.0),
        "active": ("of these in use: at work, or in a transaction", 1.0),
    }
    figures = _figures(analysis, found.comparison, found.sides, shown)
    table = users.watched(analysis, found)
    return LoadSection(table.title, "", "", figures, [table])


def _figures(
    analysis: Analysis,
    comparison: Comparison,
    sides: Sequence[UserLoadResult],
    shown: Mapping[str, tuple[str, float]],
) -> list[Figure]:
    parts = [sides[first : first + SIDES] for first in range(0, len(sides), SIDES)]
    return [_figure(analysis, comparison, part, shown) for part in parts]


def _figure(
    analysis: Analysis,
    comparison: Comparison,
    sides: Sequence[UserLoadResult],
    shown: Mapping[str, tuple[str, float]],
) -> Figure:
    """Return a row of panels for each figure, a column for each side; a row has one scale."""
    colours, panels = palette(analysis), []
    for name, (title, unit) in shown.items():
        known = [point for side in sides for point in side.timelines.get(name, [])]
        if not known:
            continue
        last, most = max(one.at for one in known), max(one.high for one in known)
        for side in sides:
            colour, points = colours.look(side.item).colour, side.timelines.get(name, [])
            panels.append(
                timeline(DrawnTimeline(side.item.name, title, colour, points, unit), last, most)
            )
    heading = f"{comparison.title}, {comparison.load}: over time"
    described = "; ".join(_described(side, analysis.discipline.unit) for side in sides)
    return Figure("", CAPTION, svg.drawing(panels, heading, described, columns=len(sides)))


def _described(side: UserLoadResult, unit: str) -> str:
    whole = side.by_name[user_loads.ALL]
    p50 = words.milliseconds(whole.p50_us.median if whole.p50_us else None)
    p95 = words.milliseconds(side.p95_us.median if side.p95_us else None)
    text = f"{side.item.label}: {whole.count.median:,.0f} {unit}, median {p50}, p95 {p95}"
    return f"{text}, {words.percent(side.lost.median if side.lost else None)} failed"


def _lost(analysis: Analysis) -> list[str]:
    """Return who has no figures under a user load, and why."""
    return [
        f"{item.label}: {item.state}, {item.reason}"
        for comparison in analysis.comparisons
        for item in comparison.results
        if comparison.work.load.user_load and item.throughput is None and item.state != "overloaded"
    ]
