"""What is run in which order: the blocks of a round, forward and in reverse."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from race.saved.model import Cell, Contender, Work

Pass = Literal["forward", "reverse"]
PASSES: tuple[Pass, ...] = ("forward", "reverse")

CellKey = tuple[int, str, str, Work]
"""Round, pass, label, work: what identifies a measured cell."""


@dataclass(frozen=True)
class Block:
    """One subject's life: a contender and all its cells of one pass; `order` counts its first."""

    round: int
    pass_: Pass
    order: int
    contender: Contender
    works: tuple[Work, ...]


@dataclass(frozen=True)
class Planned:
    """A cell before it is run: which of its block, and its place in the round."""

    block: Block
    order: int
    work: Work

    @property
    def contender(self) -> Contender:
        """Whose cell it is."""
        return self.block.contender

    @property
    def key(self) -> CellKey:
        """The key that the measured cell will have."""
        return self.block.round, self.block.pass_, self.contender.label, self.work


def key_of(cell: Cell) -> CellKey:
    """The key of a saved cell."""
    return cell.round, cell.pass_, cell.label, cell.work


def planned(block: Block) -> list[Planned]:
    """The cells of a block in their order."""
    return [Planned(block, block.order + index, work) for index, work in enumerate(block.works)]


def shuffled(
    works: Mapping[str, Sequence[Work]], found: Sequence[Contender], seed: int, number: int
) -> list[Block]:
    """The blocks of a round: contenders and their works in random order, then all in reverse.

    The order depends on seed and round alone, so that a resumed race goes on with the same plan.
    """
    dice = random.Random(f"{seed}/{number}")  # noqa: S311 - an order to repeat, not a secret
    order = list(found)
    dice.shuffle(order)
    mixed = {one.label: dice.sample(list(works[one.label]), len(works[one.label])) for one in order}
    blocks: list[Block] = []
    place = 0
    for pass_ in PASSES:
        for contender in order if pass_ == "forward" else reversed(order):
            mine = mixed[contender.label]
            turn = tuple(mine if pass_ == "forward" else reversed(mine))
            blocks.append(Block(number, pass_, place, contender, turn))
            place += len(turn)
    return blocks
