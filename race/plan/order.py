"""What is run in which order: contenders, the cells of a round, forward and reverse passes."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from race.plan.scenario import Scenario
from race.saved.model import Cell, Contender, Load
from race.web.engines import Entry
from race.web.pages import PAGES

TWIN_MARK = " (A/A)"
PASSES = ("forward", "reverse")
# What a server start and the checks around a cell take here; only the forecast depends on them.
BLOCK_SECONDS = 2.0
CELL_SECONDS = 0.25


@dataclass(frozen=True)
class Work:
    """One page under one load; with a contender, round and pass it is a cell."""

    page: str
    load: Load


Key = tuple[int, str, str, Work]
"""Round, pass, label, work: what identifies a measured cell."""


@dataclass(frozen=True)
class Block:
    """One server's life: a contender and all its cells of one pass; `order` counts its first."""

    round: int
    pass_: str
    order: int
    contender: Contender
    works: tuple[Work, ...]


def key_of(cell: Cell) -> Key:
    """The key of a saved cell."""
    return (cell.round, cell.pass_, cell.label, Work(cell.page, cell.load))


def contenders(scenario: Scenario, entries: Sequence[Entry]) -> list[Contender]:
    """One contender for each runnable entry, and the A/A twin of one of them."""
    found = []
    for entry in entries:
        version = ".".join(entry.python.split(".")[:2])
        label = f"{entry.engine}@{version}" if scenario.pythons else entry.engine
        found.append(Contender(label, entry.engine, entry.python))
    if found:
        wanted = scenario.twin or baseline(scenario, found)
        original = next((one for one in found if wanted in (one.label, one.engine)), found[0])
        found.append(replace(original, label=original.label + TWIN_MARK, aa=True))
    return found


def baseline(scenario: Scenario, found: Sequence[Contender]) -> str:
    """The label that the others are compared with: the scenario's, else the first."""
    for contender in found:
        if scenario.baseline in (contender.label, contender.engine):
            return contender.label
    return found[0].label


def closed_works(scenario: Scenario) -> list[Work]:
    """The closed-loop cells: each page at each depth that is safe on it.

    A page that asks the database is never pipelined: it kills japronto's worker (its issue 46), and
    on the other frameworks it would measure a load that no race compares it with.
    """
    plan = scenario.load
    works = []
    for name in scenario.pages:
        only = PAGES[name].generator
        for depth in (1,) if PAGES[name].queries or only else plan.pipeline:
            load = Load(only or plan.generator, 1 if only else plan.connections,
                        1 if only else plan.threads, depth, None, plan.duration_s)  # fmt: skip
            works.append(Work(name, load))
    return works


def open_works(
    scenario: Scenario, contender: Contender, capacity: Mapping[tuple[str, str], float]
) -> list[Work]:
    """The open-loop cells of a contender; `capacity` is requests/s by (label, page)."""
    plan = scenario.load
    works = []
    for name in scenario.pages:
        slowest = min((rps for (_, page), rps in capacity.items() if page == name), default=0.0)
        own = capacity.get((contender.label.removesuffix(TWIN_MARK), name), 0.0)
        rates = [*plan.rates, *(part * slowest for part in plan.rates_of_slowest)]
        rates += [part * own for part in plan.rates_of_own]
        for rate in sorted({float(round(rate)) for rate in rates if rate >= 1}):
            load = Load(plan.open_generator, plan.connections, plan.threads, 1, rate,
                        plan.open_duration_s)  # fmt: skip
            works.append(Work(name, load))
    return works


def has_open_loop(scenario: Scenario) -> bool:
    """Whether the scenario asks for fixed rates."""
    plan = scenario.load
    return bool(plan.rates or plan.rates_of_slowest or plan.rates_of_own)


def shuffled(
    works: Mapping[str, Sequence[Work]], found: Sequence[Contender], seed: int, number: int
) -> list[Block]:
    """The blocks of a round: contenders and their pages in random order, then all in reverse.

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


def block_seconds(scenario: Scenario, works: Sequence[Work]) -> float:
    """A forecast of one server's life, with as many warm-up windows as usual."""
    warm = scenario.warmup.window_s * min(2.5, scenario.warmup.windows)
    return BLOCK_SECONDS + sum(work.load.duration_s + warm + CELL_SECONDS for work in works)
