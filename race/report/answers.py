"""What one unit of each task is: bytes and headers of its answer, requests to a database."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from race.analysis.model import Analysis, Comparison, ContenderResult


@dataclass(frozen=True, slots=True)
class Row:
    """Contenders with the same facts at one task; `everyone` when nobody has others."""

    title: str
    facts: dict[str, float]
    results: list[ContenderResult]
    everyone: bool


@dataclass(frozen=True, slots=True)
class Answers:
    """`names` are those of all facts, in the order of the cells."""

    names: list[str]
    rows: list[Row]


def answers(analysis: Analysis) -> Answers | None:
    """The facts of every task that ran in the closed loop; None where none are known.

    Facts do not depend on the load, so of several loads the first speaks.
    """
    first: dict[str, Comparison] = {}
    for comparison in analysis.closed():
        first.setdefault(comparison.work.task, comparison)
    rows = [row for comparison in first.values() for row in _rows(comparison)]
    names = list(dict.fromkeys(name for row in rows for name in row.facts))
    return Answers(names, rows) if names else None


def _rows(comparison: Comparison) -> Iterator[Row]:
    groups: dict[tuple[tuple[str, float], ...], list[ContenderResult]] = {}
    for item in comparison.results:
        if item.facts:
            groups.setdefault(tuple(sorted(item.facts.items())), []).append(item)
    for results in groups.values():
        yield Row(comparison.title, results[0].facts, results, len(groups) == 1)
