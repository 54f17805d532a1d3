"""A chapter that says who raced."""

from __future__ import annotations

from markupsafe import Markup

from race.analysis.model import Analysis


class Toy:
    """See ``race.report.chapters``."""

    def title(self, analysis: Analysis) -> str:
        return "A chapter of toys"

    def render(self, analysis: Analysis) -> Markup | None:
        names = {one.name for one in analysis.race.head.contenders}
        return Markup("<p>raced {}</p>").format(", ".join(sorted(names, reverse=True)))
