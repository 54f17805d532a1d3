"""Puts the cells of a round in order."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from race.saved.model import CALIBRATION, Cell, Contender, Work

CellKey = tuple[int, str, Work]
"""Round, label, work: what identifies a measured cell. Of two with one key the later one counts."""

Kind = tuple[bool, str, str, int, int, bool]
"""Cells that take the same time: calibration or not, label, task, depth, connections, rated."""


def kind_of(number: int, label: str, work: Work) -> Kind:
    """Return the kind of a cell. All fixed rates are one: cells at any of them last as long."""
    load, rated = work.load, work.load.rate is not None
    return number == CALIBRATION, label, work.task, load.pipeline, load.connections, rated


@dataclass(frozen=True)
class Planned:
    """A cell before it is run: contender, work, and its place in the round."""

    round: int
    order: int
    contender: Contender
    work: Work

    @property
    def key(self) -> CellKey:
        """The key that the measured cell will have."""
        return self.round, self.contender.label, self.work

    @property
    def calibrates(self) -> bool:
        """Return whether the cell only finds what later cells need."""
        return self.round == CALIBRATION


def key_of(cell: Cell) -> CellKey:
    """The key of a saved cell."""
    return cell.round, cell.label, cell.work


def in_turn(
    works: Mapping[str, Sequence[Work]], found: Sequence[Contender], number: int
) -> list[Planned]:
    """Return the cells of a round contender after contender, each on all of its works.

    What the machine does from minute to minute then looks like a difference between contenders.
    """
    turns = [(contender, work) for contender in found for work in works[contender.label]]
    return [Planned(number, place, one, work) for place, (one, work) in enumerate(turns)]


def shuffled(
    works: Mapping[str, Sequence[Work]],
    found: Sequence[Contender],
    seed: int,
    number: int,
    first: int = 1,
) -> list[Planned]:
    """Return the cells of a round: works in random order, and for each the contenders at random.

    Contenders on one task run within seconds of each other, so that what the machine does from
    minute to minute affects all of them. From round `first` on every second round has the reverse
    order of the one before it, so that a steady drift favours no contender. The order depends on
    seed and round alone, so that a resumed race goes on with the same plan.
    """
    mirrors = number > first and (number - first) % 2 == 1
    groups: dict[tuple[str, int, int, bool], list[tuple[Contender, Work]]] = {}
    for contender in found:
        for work in works[contender.label]:
            # All fixed rates of a task are one group: each contender has rates of its own.
            load = work.load
            group = work.task, load.pipeline, load.connections, load.rate is not None
            groups.setdefault(group, []).append((contender, work))
    dice = random.Random(f"{seed}/{number - mirrors}")  # noqa: S311 - to repeat, not a secret
    names = sorted(groups)
    turns: list[tuple[Contender, Work]] = []
    for name in dice.sample(names, len(names)):
        turns += dice.sample(groups[name], len(groups[name]))
    if mirrors:
        turns.reverse()
    return [Planned(number, place, one, work) for place, (one, work) in enumerate(turns)]
