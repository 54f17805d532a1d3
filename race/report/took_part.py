"""Which programs and packages took part in a race, of all that were installed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from race.analysis.model import Analysis
from race.saved.model import Contender

_WORD = re.compile(r"[a-z0-9]+")

TookPart = Callable[[str], bool]


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
