"""The machine, and the versions of what took part."""

from __future__ import annotations

from markupsafe import Markup

from race.analysis.model import Analysis
from race.report.template import filled
from race.report.took_part import interpreters, programs


class Machine:
    """`chapters.Chapter`: hardware, programs, interpreters with their packages."""

    def title(self, analysis: Analysis) -> str:
        """See ``Chapter``."""
        return "Machine"

    def render(self, analysis: Analysis) -> Markup | None:
        """See ``Chapter``."""
        return filled(
            "machine",
            analysis,
            machine=analysis.race.head.environment,
            programs=programs(analysis),
            interpreters=interpreters(analysis),
        )
