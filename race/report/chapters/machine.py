"""The machine and the versions of everything."""

from __future__ import annotations

from markupsafe import Markup

from race.analysis.model import Analysis
from race.report.template import filled
from race.saved.model import Environment

Packages = list[tuple[str, str]]


class Machine:
    """`chapters.Chapter`: hardware, programs, interpreters with their packages."""

    def title(self, analysis: Analysis) -> str:
        """See ``Chapter``."""
        return "Machine"

    def render(self, analysis: Analysis) -> Markup | None:
        """See ``Chapter``."""
        machine = analysis.race.head.environment
        interpreters = _interpreters(machine)
        return filled("machine", analysis, machine=machine, interpreters=interpreters)


def _interpreters(machine: Environment) -> list[tuple[str, Packages, list[str]]]:
    """Version, packages in order, and the contenders that ran on it."""
    found: dict[str, tuple[str, Packages, list[str]]] = {}
    for label, one in machine.interpreters.items():
        packages = sorted(one.packages.items(), key=lambda item: item[0].lower())
        key = f"{one.python} {packages}"
        found.setdefault(key, (one.python, packages, []))[2].append(label)
    return list(found.values())
