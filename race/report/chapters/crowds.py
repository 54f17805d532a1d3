"""Users that come and go by a shape: what they saw over time, contenders side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from race.analysis import crowds
from race.analysis.crowds import Group, Side
from race.analysis.model import Analysis
from race.report import format as words
from race.report import sentences
from race.report.charts import courses, vega
from race.report.charts.colours import palette
from race.report.charts.courses import Courses
from race.report.charts.figures import Figure
from race.report.template import filled

SIDES = 4
"""Side by side; more are further figures."""


@dataclass(frozen=True, slots=True)
class Section:
    """A group with its heading and figures, and a sentence for each who did not keep up."""

    title: str
    group: Group
    figures: list[Figure]
    late: list[str]


class Crowds:
    """`chapters.Chapter`: for each group the courses, ratios of its pairs, a table of parts."""

    def title(self, analysis: Analysis) -> str:
        """See ``Chapter``."""
        return "Users over time"

    def render(self, analysis: Analysis) -> Markup | None:
        """See ``Chapter``."""
        groups = crowds.crowds(analysis)
        if not groups:
            return None
        sections = [
            _section(analysis, group, f"course-{number}")
            for number, group in enumerate(groups, start=1)
        ]
        return filled(
            "crowds",
            analysis,
            sections=sections,
            notes=crowds.known_limits(groups),
            lost=_lost(analysis),
            everything=crowds.ALL,
        )


def _section(analysis: Analysis, group: Group, name: str) -> Section:
    found = [
        _figure(analysis, group, group.sides[first : first + SIDES], f"{name}-{first}")
        for first in range(0, len(group.sides), SIDES)
    ]
    late = [sentences.late(side) for side in group.sides if side.late]
    return Section(group.title, group, found, late)


def _figure(analysis: Analysis, group: Group, sides: Sequence[Side], name: str) -> Figure:
    unit = analysis.discipline.unit
    shown = {
        "users": courses.Figure("users"),
        "throughput": courses.Figure(f"{unit}/s"),
        "p50": courses.Figure("median, ms", 1e3),
        "p95": courses.Figure("p95, ms", 1e3),
        "connections": courses.Figure("connections to the database"),
    }
    drawing = vega.figure(
        name,
        Courses(sides, shown, palette(analysis)).drawn,
        f"{group.contest.title}, {group.contest.load}: over time",
        "; ".join(_told(side, unit) for side in sides),
    )
    caption = (
        "Line: mean over rounds; band: from the least round to the largest. The panels of a row "
        "have one scale. Connections are those that the contender has open, idle ones too."
    )
    return Figure("", caption, drawing)


def _told(side: Side, unit: str) -> str:
    whole = side.parts[crowds.ALL]
    p50 = words.milliseconds(whole.p50_us.median if whole.p50_us else None)
    p95 = words.milliseconds(side.p95_us.median if side.p95_us else None)
    told = f"{side.item.label}: {whole.count.median:,.0f} {unit}, median {p50}, p95 {p95}"
    return f"{told}, {words.percent(side.lost.median if side.lost else None)} failed"


def _lost(analysis: Analysis) -> list[str]:
    """Who has no figures under a crowd, and why."""
    return [
        f"{item.label}: {item.state}, {item.reason}"
        for contest in analysis.contests
        for item in contest.standings
        if contest.work.load.crowd and item.throughput is None and item.state != "overloaded"
    ]
