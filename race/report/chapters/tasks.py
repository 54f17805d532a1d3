"""The ranking of each comparison of the closed loop, with bars, and what an answer is."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from race.analysis.model import Analysis, Comparison
from race.report import format as words
from race.report import sentences
from race.report.charts import svg
from race.report.charts.colours import Palette, palette
from race.report.charts.rows import Bar, bars
from race.report.table import ReportTable
from race.report.tables import more
from race.report.tables.ranking import ranking
from race.report.template import ReportChapter, chapter
from race.stats.verdict import STRETCH

MOST_OPEN = 6
"""So many comparisons begin unfolded; of more, each shows its verdict alone."""


@dataclass(frozen=True, slots=True)
class TaskSection:
    """One comparison: its anchor, what is said of it, its ranking, and what is drawn."""

    slug: str
    comparison: Comparison
    verdict: str
    rule: str
    remarks: list[str]
    table: ReportTable
    drawing: Markup | None


def render(analysis: Analysis) -> ReportChapter | None:
    """Return a section for each comparison."""
    task = analysis.discipline.task
    sections = [_section(analysis, comparison) for comparison in analysis.closed()]
    if not sections:
        return None
    return chapter(
        f"{task.capitalize()} by {task}",
        "tasks",
        analysis,
        sections=sections,
        MOST_OPEN=MOST_OPEN,
        stretch=STRETCH,
        answers=more.answers(analysis),
    )


def _section(analysis: Analysis, comparison: Comparison) -> TaskSection:
    return TaskSection(
        slug=sentences.slug(comparison),
        comparison=comparison,
        verdict=sentences.verdict(comparison),
        rule=sentences.rule(comparison),
        remarks=[
            part(comparison) for part in (sentences.order, sentences.bounds, sentences.doubts)
        ],
        table=ranking(analysis, comparison),
        drawing=_drawing(comparison, palette(analysis)),
    )


def _drawing(comparison: Comparison, colours: Palette) -> Markup | None:
    """Return units/s with the range over rounds, and CPU time per unit of the party under test."""
    found = [(item, item.throughput) for item in comparison.results if item.throughput]
    if not found:
        return None
    unit, party = comparison.discipline.unit, comparison.party
    rates = [Bar(colours.look(item), one.median, words.rate(item), one) for item, one in found]
    costs = [
        Bar(colours.look(item), cpu or 0, words.number(cpu))
        for item, _ in found
        for cpu in (item.cpu_us.get(party),)
    ]
    panels = [bars(rates, f"{unit.capitalize()} per second")]
    if any(cost.value for cost in costs):
        panels.append(bars(costs, f"{party.capitalize()} CPU, µs per {words.one(unit)}"))
    described = "; ".join(
        f"{rate.look.label} {rate.text} {unit} per second and {cost.text} microseconds of {party} "
        f"CPU per {words.one(unit)}"
        for rate, cost in zip(rates, costs, strict=True)
    )
    heading = f"{comparison.title}, {comparison.load}: {unit}/s and CPU per {words.one(unit)}"
    return svg.drawing(panels, heading, described)
