"""The chapter of what went on over time: under user loads, and in cells that were watched."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from race.analysis import user_loads
from race.analysis.model import Analysis, Comparison, Spread
from race.analysis.user_loads import PartFigures, UserLoadGroup, UserLoadResult, WatchedComparison
from race.report import format as words
from race.report import sentences
from race.report.charts import svg
from race.report.charts.colours import palette
from race.report.charts.figures import Figure, lines
from race.report.charts.groups import Group, groups
from race.report.charts.lines import timeline
from race.report.charts.rows import Bar
from race.report.table import ReportTable
from race.report.tables import user_loads as users
from race.report.template import ReportChapter, chapter

SIDES = 4
"""The number of contenders side by side; more are further figures."""
CAPTION = (
    "Line: mean over rounds; band: from the least round to the largest. The panels of a row have "
    "one scale. Connections are those that the contender has open, idle ones too."
)
BY_NAME = (
    "Of one cell: the median over rounds; line: from the least to the largest. Times are of all, "
    "also of those that failed."
)
TOGETHER = "Line: mean over rounds, from the begin of a cell to its end."
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
        [*_figures(analysis, group.comparison, group.sides, shown), *_by_name(analysis, group)],
        [*tables, users.users(analysis, group), users.parts(group)],
    )


def _by_name(analysis: Analysis, group: UserLoadGroup) -> Iterator[Figure]:
    """Return how much went well and the median of all times, by what was asked for."""
    unit, task = analysis.discipline.unit, analysis.discipline.task
    names = [name for name in group.names if name != user_loads.ALL]
    if not names:
        return
    counts = _groups(analysis, group, names, lambda part: part.count, "{:,.0f}".format)
    times = _groups(analysis, group, names, _milliseconds, words.number)
    titles = f"{unit.capitalize()} by {task}", f"Median by {task}"
    panels = [
        groups(found, title, note)
        for found, title, note in zip((counts, times), titles, ("", "ms"), strict=True)
        if any(one.bars for one in found)
    ]
    described = "; ".join(
        f"{title}, {found.title}, {bar.look.label}: {bar.text}"
        for title, every in zip(titles, (counts, times), strict=True)
        for found in every
        for bar in found.bars
    )
    drawing = svg.drawing(panels, group.title, described)
    yield Figure(f"By {task}", BY_NAME, drawing)


def _groups(
    analysis: Analysis,
    group: UserLoadGroup,
    names: Sequence[str],
    figure: Callable[[PartFigures], Spread | None],
    text: Callable[[float], str],
) -> list[Group]:
    """Return the bars of each name, one for each contender that has the figure."""
    look = palette(analysis).look
    return [
        Group(
            name,
            [
                Bar(look(side.item), found.median, text(found.median), found)
                for side in group.sides
                if (part := side.by_name.get(name)) and (found := figure(part))
            ],
        )
        for name in names
    ]


def _milliseconds(part: PartFigures) -> Spread | None:
    us = part.p50_us
    return us and Spread(us.median / 1e3, us.low / 1e3, us.high / 1e3)


def _watched(analysis: Analysis, found: WatchedComparison) -> LoadSection:
    shown = {
        "throughput": (f"{analysis.discipline.unit}/s", 1.0),
        "connections": (CONNECTIONS, 1.0),
        "active": ("of these in use: at work, or in a transaction", 1.0),
    }
    figures = [
        _together(analysis, found, shown),
        *_figures(analysis, found.comparison, found.sides, shown),
    ]
    table = users.watched(analysis, found)
    return LoadSection(table.title, "", "", figures, [table])


def _together(
    analysis: Analysis, found: WatchedComparison, shown: Mapping[str, tuple[str, float]]
) -> Figure:
    """Return all contenders on one graph, a panel for each figure."""
    twins = {one.label for one in analysis.race.head.contenders if one.aa}
    looks = {
        label: look
        for label, look in lines([found.comparison], palette(analysis)).items()
        if label not in twins
    }
    panels = []
    for name, (title, unit) in shown.items():
        known = {
            looks[side.item.label]: points
            for side in found.sides
            if side.item.label in looks and (points := side.timelines.get(name))
        }
        if known:
            panels.append(timeline(known, title, unit))
    heading = f"{found.comparison.title}, {found.comparison.load}: all contenders over time"
    described = "; ".join(_described(side, analysis.discipline.unit) for side in found.sides)
    drawing = svg.drawing(panels, heading, described)
    return Figure("All on one graph", TOGETHER, drawing, tuple(looks.values()))


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
            points = {colours.look(side.item): side.timelines.get(name, [])}
            panels.append(timeline(points, side.item.name, unit, title, (last, most)))
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
