"""Which cells of a run count, and the value of each round.

A cell counts when its status is ok and its round was not rejected; of two records of one cell (a
resumed run) the later counts. At a fixed rate that a contender did not keep up with even once none
of its cells counts: percentiles of those that went well would be the survivors'. A round's value is
the mean of a log over its passes, and exists only when every pass that the race ran counts, so that
drift within the round cancels.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import NamedTuple

from race.saved.reader import Cell, Load, Run

PAGES = ("index", "good", "bad", "ugly", "about", "vote")


def page_name(page: str) -> str:
    """A page as people read it: "Good", "Limits: select-sync"."""
    kind, dash, rest = page.partition("-")
    return f"{kind.capitalize()}: {rest}" if dash else page.capitalize()


class Key(NamedTuple):
    """What contenders are compared on."""

    page: str
    load: Load

    @property
    def order(self) -> tuple[int, str, int, float, int]:
        """Closed loop before fixed rates, the site's pages in their own order."""
        page = PAGES.index(self.page) if self.page in PAGES else len(PAGES)
        return page, self.page, self.load.pipeline, self.load.rate or 0.0, self.load.connections


Measure = Callable[[Cell], float | None]
Values = dict[Key, dict[str, dict[int, float]]]
"""Key, then contender's label, then round number, to a log."""


def counted(run: Run) -> list[Cell]:
    """The cells that count, in the order of the file."""
    rejected = {item.round for item in run.head.rejected}
    latest = {
        (cell.round, cell.pass_, cell.label, cell.page, cell.load): cell for cell in run.cells
    }
    kept = [cell for cell in latest.values() if cell.round not in rejected]
    late = {(c.label, Key(c.page, c.load)) for c in kept if c.status == "overloaded"}
    return [c for c in kept if c.status == "ok" and (c.label, Key(c.page, c.load)) not in late]


def values(cells: Iterable[Cell], measure: Measure) -> Values:
    """Each round's mean log of `measure`, from cells that count; a None or 0 is not measured."""
    logs: dict[tuple[Key, str, int], dict[str, float]] = defaultdict(dict)
    passes: set[str] = set()
    for cell in cells:
        passes.add(cell.pass_)
        value = measure(cell)
        if value:
            key = Key(cell.page, cell.load)
            logs[key, cell.label, cell.round][cell.pass_] = math.log(value)
    found: Values = {}
    for (key, label, number), by_pass in logs.items():
        if by_pass.keys() == passes:
            mean = math.fsum(by_pass.values()) / len(passes)
            found.setdefault(key, {}).setdefault(label, {})[number] = mean
    return found


def rate(cell: Cell) -> float | None:
    """Requests per second."""
    return cell.rps


def cpu_us(part: str) -> Measure:
    """CPU microseconds per request of "server", "generator" or "database"."""

    def measure(cell: Cell) -> float | None:
        spent = cell.cpu_ns.get(part)
        return spent / 1e3 / cell.requests if spent and cell.requests else None

    return measure
