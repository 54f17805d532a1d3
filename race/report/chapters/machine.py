"""The machine, and the versions of what took part."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from race.analysis.model import Analysis
from race.report.template import filled
from race.report.took_part import those_that_ran, took_part
from race.saved.model import Contender

Versions = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Shown:
    """An interpreter, the packages that took part with their versions, how many others it has, and
    the labels of the contenders that ran on it.
    """

    python: str
    packages: Versions
    others: int
    labels: list[str]


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
            programs=_programs(analysis),
            interpreters=_interpreters(analysis),
        )


def _programs(analysis: Analysis) -> Versions:
    """Load generators and what else runs beside contenders."""
    there = took_part(analysis, those_that_ran(analysis))
    versions = analysis.race.head.environment.versions
    return [(name, version) for name, version in versions.items() if version and there(name)]


def _interpreters(analysis: Analysis) -> list[Shown]:
    """One for each set of packages."""
    known = analysis.race.head.environment.interpreters
    groups: dict[str, list[Contender]] = {}
    for one in those_that_ran(analysis):
        if one.label in known:
            key = f"{known[one.label].python} {sorted(known[one.label].packages.items())}"
            groups.setdefault(key, []).append(one)
    return [_shown(analysis, contenders) for contenders in groups.values()]


def _shown(analysis: Analysis, contenders: list[Contender]) -> Shown:
    environment = analysis.race.head.environment
    found, there = environment.interpreters[contenders[0].label], took_part(analysis, contenders)
    # A package that is called like a program: the name told of the program.
    own = (item for item in found.packages.items() if item[0].lower() not in environment.versions)
    named = sorted((item for item in own if there(item[0])), key=_lowered)
    others = len(found.packages) - len(named)
    return Shown(found.python, named, others, [one.label for one in contenders])


def _lowered(item: tuple[str, str]) -> str:
    return item[0].lower()
