"""The chapter on the functions that two contenders differ in, where they were profiled."""

from __future__ import annotations

from race.analysis.model import Analysis
from race.report import format as words
from race.report.charts import svg
from race.report.template import ReportChapter, chapter
from race.why import answer as why
from race.why import record
from race.why.differences import explanation
from race.why.flames import flames

ROWS = 30


def render(analysis: Analysis) -> ReportChapter | None:
    """Return a table of functions and the flame graph of their difference."""
    saved = record.load(analysis.race.folder)
    if saved is None or not saved.cells:
        return None
    found, unit = explanation(saved), words.one(analysis.discipline.unit)
    graph = None
    if found.functions:
        title = f"CPU time of {found.profile.task} by function"
        described = "; ".join(f"{row.name} {why.shown(row.difference)}" for row in found.rows[:5])
        graph = svg.drawing([flames(found.tree, "", unit)], title, described)
    return chapter(
        "Why",
        "why",
        analysis,
        found=found,
        lead=why.headline(found, unit),
        tables=why.tables(found, ROWS),
        about=why.about(found, unit),
        graph=graph,
    )
