"""What one unit of each task is: bytes and headers of its answer, requests to a database."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from race.analysis.model import Analysis, Contest, Standing


@dataclass(frozen=True, slots=True)
class Row:
    """Contenders with the same facts at one task; `everyone` when nobody has others."""

    title: str
    facts: dict[str, float]
    standings: list[Standing]
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
    first: dict[str, Contest] = {}
    for contest in analysis.closed():
        first.setdefault(contest.work.task, contest)
    rows = [row for contest in first.values() for row in _rows(contest)]
    names = list(dict.fromkeys(name for row in rows for name in row.facts))
    return Answers(names, rows) if names else None


def _rows(contest: Contest) -> Iterator[Row]:
    groups: dict[tuple[tuple[str, float], ...], list[Standing]] = {}
    for item in contest.standings:
        if item.facts:
            groups.setdefault(tuple(sorted(item.facts.items())), []).append(item)
    for standings in groups.values():
        yield Row(contest.title, standings[0].facts, standings, len(groups) == 1)
