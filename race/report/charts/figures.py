"""A figure of the report, and what several figures are made from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from race.analysis.model import Analysis, Contest
from race.report.charts import bars, marks, plots, vega
from race.report.charts.colours import Palette
from race.report.charts.marks import Row
from race.report.sentences import spoken


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing with its caption; `key` explains the lines, where it has any."""

    title: str
    caption: str
    drawing: Markup
    key: tuple[Row, ...] = ()


def unpipelined(analysis: Analysis) -> list[Contest]:
    """The contests of the closed loop without pipelining."""
    return [contest for contest in analysis.closed() if contest.work.load.pipeline == 1]


def contest_bars(contest: Contest, palette: Palette, name: str) -> Markup | None:
    """Units/s and CPU per unit of one contest."""
    if not any(item.throughput for item in contest.standings):
        return None
    unit = contest.discipline.unit
    title = f"{contest.title}, {contest.load}: {unit}/s and CPU per {unit.removesuffix('s')}"
    text = spoken(contest)
    return vega.figure(name, lambda narrow: bars.bars(contest, palette, narrow), title, text)


def contender_lines(contests: Iterable[Contest], palette: Palette) -> dict[str, Row]:
    """The lines of everyone who has a number, or lost it at a fixed rate."""
    found = [item for contest in contests for item in contest.standings]
    drawn = (item for item in found if item.throughput or item.state == "overloaded")
    return marks.lines(drawn, palette)


def ratio_figure(name: str, rows: Sequence[Row], margin: float, title: str) -> Markup:
    """Intervals of ratios, told row by row; `margin` in percent."""
    text = "; ".join(f"{row['label']} {row['text']}" for row in rows)
    return vega.figure(name, lambda narrow: plots.ratios(rows, margin, narrow), title, text)
