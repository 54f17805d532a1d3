"""What went on over time, contenders side by side: users that come and go by a shape, or a load
that was watched from its begin to its end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from race.analysis import user_loads
from race.analysis.model import Analysis, Comparison
from race.analysis.user_loads import UserLoadGroup, UserLoadResult, WatchedComparison
from race.report import format as words
from race.report import sentences
from race.report.charts import timelines, vega
from race.report.charts.colours import palette
from race.report.charts.figures import Figure
from race.report.charts.timelines import Timelines
from race.report.template import filled

SIDES = 4
"""UserLoadResult by side; more are further figures."""
CAPTION = (
    "Line: mean over rounds; band: from the least round to the largest. The panels of a row have "
    "one scale. Connections are those that the contender has open, idle ones too."
)
CONNECTIONS = "connections to the database"


@dataclass(frozen=True, slots=True)
class Section:
    """A group with its heading and figures, and a sentence for each who did not keep up."""

    title: str
    group: UserLoadGroup
    figures: list[Figure]
    late: list[str]


@dataclass(frozen=True, slots=True)
class Watch:
    """A comparison that was watched, with its figures."""

    comparison: Comparison
    sides: list[UserLoadResult]
    figures: list[Figure]


class UserLoads:
    """`chapters.Chapter`: for each group of a user load the timelines, ratios of its pairs, a
    table of parts; for what was watched without one the timelines alone.
    """

    def title(self, analysis: Analysis) -> str:
        """See ``Chapter``."""
        return "Users over time" if user_loads.user_loads(analysis) else "Over time"

    def render(self, analysis: Analysis) -> Markup | None:
        """See ``Chapter``."""
        groups, watched = user_loads.user_loads(analysis), user_loads.watched(analysis)
        if not groups and not watched:
            return None
        sections = [
            _section(analysis, group, f"timeline-{number}")
            for number, group in enumerate(groups, start=1)
        ]
        watches = [
            _watch(analysis, one, f"watched-{number}")
            for number, one in enumerate(watched, start=1)
        ]
        return filled(
            "user_loads",
            analysis,
            sections=sections,
            watches=watches,
            notes=user_loads.known_limits(groups),
            lost=_lost(analysis),
            everything=user_loads.ALL,
        )


def _section(analysis: Analysis, group: UserLoadGroup, name: str) -> Section:
    shown = {
        "users": timelines.Figure("users"),
        "throughput": timelines.Figure(f"{analysis.discipline.unit}/s"),
        "p50": timelines.Figure("median, ms", 1e3),
        "p95": timelines.Figure("p95, ms", 1e3),
        "connections": timelines.Figure(CONNECTIONS),
    }
    figures = _figures(analysis, group.comparison, group.sides, shown, name)
    late = [sentences.late(side) for side in group.sides if side.late]
    return Section(group.title, group, figures, late)


def _watch(analysis: Analysis, one: WatchedComparison, name: str) -> Watch:
    shown = {
        "throughput": timelines.Figure(f"{analysis.discipline.unit}/s"),
        "connections": timelines.Figure(CONNECTIONS),
        "active": timelines.Figure("of these in use: at work, or in a transaction"),
    }
    return Watch(
        one.comparison, one.sides, _figures(analysis, one.comparison, one.sides, shown, name)
    )


def _figures(
    analysis: Analysis,
    comparison: Comparison,
    sides: Sequence[UserLoadResult],
    shown: Mapping[str, timelines.Figure],
    name: str,
) -> list[Figure]:
    return [
        _figure(analysis, comparison, sides[first : first + SIDES], shown, f"{name}-{first}")
        for first in range(0, len(sides), SIDES)
    ]


def _figure(
    analysis: Analysis,
    comparison: Comparison,
    sides: Sequence[UserLoadResult],
    shown: Mapping[str, timelines.Figure],
    name: str,
) -> Figure:
    drawing = vega.figure(
        name,
        Timelines(sides, shown, palette(analysis)).drawn,
        f"{comparison.title}, {comparison.load}: over time",
        "; ".join(_told(side, analysis.discipline.unit) for side in sides),
    )
    return Figure("", CAPTION, drawing)


def _told(side: UserLoadResult, unit: str) -> str:
    whole = side.by_name[user_loads.ALL]
    p50 = words.milliseconds(whole.p50_us.median if whole.p50_us else None)
    p95 = words.milliseconds(side.p95_us.median if side.p95_us else None)
    told = f"{side.item.label}: {whole.count.median:,.0f} {unit}, median {p50}, p95 {p95}"
    return f"{told}, {words.percent(side.lost.median if side.lost else None)} failed"


def _lost(analysis: Analysis) -> list[str]:
    """Who has no figures under a user load, and why."""
    return [
        f"{item.label}: {item.state}, {item.reason}"
        for comparison in analysis.comparisons
        for item in comparison.results
        if comparison.work.load.user_load and item.throughput is None and item.state != "overloaded"
    ]
