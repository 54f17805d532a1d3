"""Facts of a race's contenders, and the versions of what they used, of all that was installed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from race.analysis.model import Analysis
from race.report.charts.colours import shortened
from race.saved.head import Build
from race.saved.model import Contender

_WORD = re.compile(r"[a-z0-9]+")

Versions = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class UsedInterpreter:
    """An interpreter and its build, the packages that were used with their versions, how many
    others it has, and the labels of the contenders that ran on it.
    """

    python: str
    build: Build | None
    packages: Versions
    others: int
    labels: list[str]


def contenders(analysis: Analysis) -> list[Contender]:
    """Return the contenders with a cell."""
    ran = {cell.label for cell in analysis.race.cells}
    return [one for one in analysis.race.head.contenders if one.label in ran]


def facts(analysis: Analysis) -> dict[str, dict[str, list[str]]]:
    """Return the labels of contenders by fact, by the fact's name, such as "HTTP parser".

    The parts that all labels have are left out.
    """
    ran = [one for one in contenders(analysis) if one.facts and not one.aa]
    short = shortened(one.label for one in ran)
    found: dict[str, dict[str, list[str]]] = {}
    for one in ran:
        for about, fact in one.facts.items():
            found.setdefault(about, {}).setdefault(fact, []).append(short[one.label])
    return found


def programs(analysis: Analysis) -> Versions:
    """Return load generators and what else runs beside contenders."""
    used = _used_by(analysis, contenders(analysis))
    versions = analysis.race.head.environment.used_versions
    return [(name, version) for name, version in versions.items() if version and used(name)]


def interpreters(analysis: Analysis) -> list[UsedInterpreter]:
    """Return an interpreter for each build and set of packages."""
    known = analysis.race.head.environment.interpreters
    groups: dict[str, list[Contender]] = {}
    for one in contenders(analysis):
        if one.label in known:
            found = known[one.label]
            key = f"{found.python} {found.build} {sorted(found.packages.items())}"
            groups.setdefault(key, []).append(one)
    return [_interpreter(analysis, group) for group in groups.values()]


def _interpreter(analysis: Analysis, group: list[Contender]) -> UsedInterpreter:
    environment = analysis.race.head.environment
    found, used = environment.interpreters[group[0].label], _used_by(analysis, group)
    # A package may have the name of a program: in texts the name means the program then.
    hidden = set(environment.used_versions) - {one.name for one in group}
    own = (item for item in found.packages.items() if item[0].lower() not in hidden)
    named = sorted((item for item in own if used(item[0])), key=lambda item: item[0].lower())
    others = len(found.packages) - len(named)
    return UsedInterpreter(found.python, found.build, named, others, [one.label for one in group])


def _used_by(analysis: Analysis, group: Iterable[Contender]) -> Callable[[str], bool]:
    """Return whether these contenders used a program or package, by its name.

    They did when every word of its name is one of theirs: of labels, levels, the discipline's texts
    on levels and tasks, load generators. Where there are no such texts all were used, since nothing
    says otherwise.
    """
    if not analysis.discipline.level_texts:
        return lambda name: True
    known = {word for text in _texts(analysis, group) for word in _words(text)}
    return lambda name: set(_words(name)) <= known


def _texts(analysis: Analysis, group: Iterable[Contender]) -> Iterator[str]:
    discipline = analysis.discipline
    for one in group:
        yield from (one.label, one.name)
        for factor, level in one.factors.items():
            yield from (level, discipline.level_texts.get(factor, {}).get(level, ""))
    for work in {cell.work for cell in analysis.race.cells}:
        yield from (discipline.task_texts.get(work.task, ""), work.load.generator)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
