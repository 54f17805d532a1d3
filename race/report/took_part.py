"""Which programs and packages took part in a race, of all that were installed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from race.analysis.model import Analysis
from race.saved.model import Contender

_WORD = re.compile(r"[a-z0-9]+")

TookPart = Callable[[str], bool]
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


def programs(analysis: Analysis) -> Versions:
    """Load generators and what else runs beside contenders."""
    there = took_part(analysis, those_that_ran(analysis))
    versions = analysis.race.head.environment.versions
    return [(name, version) for name, version in versions.items() if version and there(name)]


def interpreters(analysis: Analysis) -> list[Shown]:
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
    # A package that is called like a program: the name told of the program, but for a contender's.
    hidden = set(environment.versions) - {one.name for one in contenders}
    own = (item for item in found.packages.items() if item[0].lower() not in hidden)
    named = sorted((item for item in own if there(item[0])), key=_lowered)
    others = len(found.packages) - len(named)
    return Shown(found.python, named, others, [one.label for one in contenders])


def _lowered(item: tuple[str, str]) -> str:
    return item[0].lower()


def took_part(analysis: Analysis, contenders: Iterable[Contender]) -> TookPart:
    """Whether a program or package, by its name, took part with these contenders.

    It did when every word of its name is one of theirs: of labels, levels, the discipline's texts
    on levels and tasks, load generators. Where there are no such texts all took part, since nothing
    says otherwise.
    """
    if not analysis.discipline.level_texts:
        return lambda name: True
    known = {word for text in _said(analysis, contenders) for word in _words(text)}
    return lambda name: set(_words(name)) <= known


def those_that_ran(analysis: Analysis) -> list[Contender]:
    """The contenders with a cell."""
    ran = {cell.label for cell in analysis.race.cells}
    return [one for one in analysis.race.head.contenders if one.label in ran]


def _said(analysis: Analysis, contenders: Iterable[Contender]) -> Iterator[str]:
    discipline = analysis.discipline
    for one in contenders:
        yield from (one.label, one.name)
        for factor, level in one.factors.items():
            yield from (level, discipline.level_texts.get(factor, {}).get(level, ""))
    for work in {cell.work for cell in analysis.race.cells}:
        yield from (discipline.task_texts.get(work.task, ""), work.load.generator)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
