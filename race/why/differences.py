"""The differences of two profiles: CPU microseconds of a unit by function or by thread, and
system calls.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from race.stats.student import quantile
from race.why.record import Profile, ProfileCell

ALPHA = 0.05
DEEPEST = 100
"""Frames of a stack from the outermost on: a recursion may be thousands deep."""
Parts = Mapping[str, float]
"""Microseconds by function, thread or stack, or calls by system call."""


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over rounds with its 95 % interval, infinite with less than two."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, numbers: Sequence[float]) -> Mean:
        """Return the mean with Student's interval."""
        value, half = statistics.fmean(numbers), math.inf
        if len(numbers) > 1:
            error = statistics.stdev(numbers) / math.sqrt(len(numbers))
            half = quantile(ALPHA, len(numbers) - 1) * error
        return cls(value, value - half, value + half)


@dataclass(frozen=True, slots=True)
class Row:
    """The microseconds of a function (itself, without what it calls) or a thread in both, or the
    number of system calls, and the difference within rounds.
    """

    name: str
    first: float
    second: float
    difference: Mean


@dataclass(slots=True)
class Node:
    """A function in the place where it was called, with what it called: microseconds in both."""

    name: str
    first: float = 0.0
    second: float = 0.0
    called: dict[str, Node] = field(default_factory=dict)

    @property
    def width(self) -> float:
        """The room that it needs: for itself, where that is longer, and for what it called."""
        called = self.called.values()
        first = self.first - sum(one.first for one in called)
        second = self.second - sum(one.second for one in called)
        return sum(one.width for one in called) + max(0.0, first, second)


@dataclass(frozen=True, slots=True)
class Explanation:
    """The differences of two profiles, the largest first; `functions`: they are of functions.

    `total` is the difference of all CPU time. `calls` are those of system calls, of `counted`
    rounds, where functions cannot be seen. `samples` are those of both, with `errors`.
    """

    profile: Profile
    functions: bool
    first: float
    second: float
    total: Mean
    rows: list[Row]
    calls: list[Row]
    counted: int
    tree: Node
    rounds: int
    samples: int
    errors: int
    late: int

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON without the tree."""
        first, second = self.profile.labels

        def plain(row: Row, unit: str = "us") -> dict[str, Any]:
            ends = _ends(row.difference, unit)
            return {"name": row.name, first: row.first, second: row.second, "difference": ends}

        total = {first: self.first, second: self.second, "difference": _ends(self.total, "us")}
        data = {"race": self.profile.race, "task": self.profile.task, "total": total}
        rows = [plain(row) for row in self.rows]
        if self.functions:
            return {**data, "function": rows}
        return {**data, "thread": rows, "call": [plain(row, "calls") for row in self.calls]}


def _ends(mean: Mean, unit: str) -> dict[str, float | None]:
    low, high = (end if math.isfinite(end) else None for end in (mean.low, mean.high))
    return {unit: mean.value, "low": low, "high": high}


def explanation(profile: Profile) -> Explanation:
    """Return what a profile says."""
    sides = [
        {one.round: one for one in profile.cells if one.label == label} for label in profile.labels
    ]
    rounds = sorted(sides[0].keys() & sides[1].keys())
    pairs = [(sides[0][number], sides[1][number]) for number in rounds]
    functions = bool(pairs) and all(one.samples for pair in pairs for one in pair)
    cells = [one for pair in pairs for one in pair]
    totals = [(one.cpu_us, other.cpu_us) for one, other in pairs]
    counted = [] if functions else [(one, two) for one, two in pairs if one.calls and two.calls]
    return Explanation(
        profile=profile,
        functions=functions,
        first=statistics.fmean(one for one, _ in totals),
        second=statistics.fmean(other for _, other in totals),
        total=Mean.of([other - one for one, other in totals]),
        rows=_rows(pairs, own if functions else attrgetter("threads")),
        calls=_rows(counted, attrgetter("calls")) if counted else [],
        counted=len(counted),
        tree=_tree(pairs) if functions else Node("all"),
        rounds=len(pairs),
        samples=sum(one.samples for one in cells),
        errors=sum(one.errors for one in cells),
        late=sum(one.late for one in cells),
    )


def own(cell: ProfileCell) -> Parts:
    """Return the microseconds of each function itself: its share of the samples of the CPU time."""
    found: dict[str, float] = {}
    for stack, count in cell.stacks.items():
        name = stack.rpartition(";")[2]
        found[name] = found.get(name, 0.0) + cell.cpu_us * count / cell.samples
    return found


def _rows(
    pairs: Iterable[tuple[ProfileCell, ProfileCell]], parts: Callable[[ProfileCell], Parts]
) -> list[Row]:
    found = [(parts(one), parts(other)) for one, other in pairs]
    names = sorted({name for pair in found for side in pair for name in side})
    rows = [
        Row(
            name,
            statistics.fmean(one.get(name, 0.0) for one, _ in found),
            statistics.fmean(other.get(name, 0.0) for _, other in found),
            Mean.of([other.get(name, 0.0) - one.get(name, 0.0) for one, other in found]),
        )
        for name in names
    ]
    return sorted(rows, key=lambda row: -abs(row.difference.value))


def _tree(pairs: Sequence[tuple[ProfileCell, ProfileCell]]) -> Node:
    """Return the stacks of all cells as one tree, with the means over the cells of each side."""
    root = Node("all")
    for pair in pairs:
        for side, cell in zip(("first", "second"), pair, strict=True):
            for stack, count in cell.stacks.items():
                us = cell.cpu_us * count / cell.samples / len(pairs)
                _add(root, stack.split(";")[:DEEPEST], side, us)
    return root


def _add(root: Node, frames: Iterable[str], side: str, us: float) -> None:
    node = root
    setattr(node, side, getattr(node, side) + us)
    for name in frames:
        node = node.called.setdefault(name, Node(name))
        setattr(node, side, getattr(node, side) + us)
