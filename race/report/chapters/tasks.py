"""The ranking of each comparison of the closed loop, with bars, and what an answer is."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from race.analysis.model import Analysis, Comparison
from race.report import sentences
from race.report.answers import answers
from race.report.charts.colours import palette
from race.report.charts.figures import comparison_bars
from race.report.template import filled


@dataclass(frozen=True, slots=True)
class Section:
    """One comparison: its anchor, what is said of it, and what is drawn."""

    slug: str
    comparison: Comparison
    load: str
    verdict: str
    rule: str
    bounds: str
    doubts: str
    strips: dict[str, sentences.Strip]
    drawing: Markup | None


class Tasks:
    """`chapters.Chapter`: a section for each comparison."""

    def title(self, analysis: Analysis) -> str:
        """See ``Chapter``."""
        task = analysis.discipline.task
        return f"{task.capitalize()} by {task}"

    def render(self, analysis: Analysis) -> Markup | None:
        """See ``Chapter``."""
        sections = [_section(analysis, comparison) for comparison in analysis.closed()]
        if not sections:
            return None
        return filled("tasks", analysis, sections=sections, answers=answers(analysis))


def _section(analysis: Analysis, comparison: Comparison) -> Section:
    slug = sentences.slug(comparison)
    return Section(
        slug=slug,
        comparison=comparison,
        load=sentences.load(analysis, comparison),
        verdict=sentences.verdict(comparison),
        rule=sentences.rule(comparison),
        bounds=sentences.bounds(comparison),
        doubts=sentences.doubts(comparison),
        strips=sentences.strips(comparison),
        drawing=comparison_bars(comparison, palette(analysis), f"bars-{slug}"),
    )
