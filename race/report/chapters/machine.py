"""The machine, and the versions of what took part."""

from __future__ import annotations

from race.analysis.model import Analysis
from race.report.template import ReportChapter, chapter
from race.report.versions import interpreters, programs


def render(analysis: Analysis) -> ReportChapter | None:
    """Return hardware, programs, and interpreters with their packages."""
    return chapter(
        "Machine",
        "machine",
        analysis,
        machine=analysis.race.head.environment,
        programs=programs(analysis),
        interpreters=interpreters(analysis),
    )
