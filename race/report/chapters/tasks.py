"""The ranking of each contest of the closed loop, with bars, and what an answer is."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from race.analysis.model import Analysis, Contest
from race.report import sentences
from race.report.answers import answers
from race.report.charts.colours import palette
from race.report.charts.figures import contest_bars
from race.report.template import filled


@dataclass(frozen=True, slots=True)
class Section:
    """One contest: its anchor, what is said of it, and what is drawn."""

    slug: str
    contest: Contest
    load: str
    verdict: str
    rule: str
    bounds: str
    doubts: str
    strips: dict[str, sentences.Strip]
    drawing: Markup | None


class Tasks:
    """`chapters.Chapter`: a section for each contest."""

    def title(self, analysis: Analysis) -> str:
        """See ``Chapter``."""
        task = analysis.discipline.task
        return f"{task.capitalize()} by {task}"

    def render(self, analysis: Analysis) -> Markup | None:
        """See ``Chapter``."""
        sections = [_section(analysis, contest) for contest in analysis.closed()]
        if not sections:
            return None
        return filled("tasks", analysis, sections=sections, answers=answers(analysis))


def _section(analysis: Analysis, contest: Contest) -> Section:
    slug = sentences.slug(contest)
    return Section(
        slug=slug,
        contest=contest,
        load=sentences.load(analysis, contest),
        verdict=sentences.verdict(contest),
        rule=sentences.rule(contest),
        bounds=sentences.bounds(contest),
        doubts=sentences.doubts(contest),
        strips=sentences.strips(contest),
        drawing=contest_bars(contest, palette(analysis), f"bars-{slug}"),
    )
