"""The machine, and the versions of what took part."""

from __future__ import annotations

from markupsafe import Markup

from race.analysis.model import Analysis
from race.report.template import filled
from race.report.versions import interpreters, programs


class Machine:
    """A chapter: hardware, programs, interpreters with their packages."""

    def title(self, analysis: Analysis) -> str:
        return "Machine"

    def render(self, analysis: Analysis) -> Markup | None:
        return filled(
            "machine",
            analysis,
            machine=analysis.race.head.environment,
            programs=programs(analysis),
            interpreters=interpreters(analysis),
        )
