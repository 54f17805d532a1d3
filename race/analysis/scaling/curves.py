"""The rates of a contender by its workers: efficiency, the knee, shares, and a projection."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from race.analysis.model import Analysis, Comparison, ContenderResult
from race.analysis.scaling.law import Law, fit
from race.analysis.values import rate, values
from race.saved.head import Head
from race.saved.model import Cell
from race.stats.estimate import Estimate
from race.stats.processes import RoundValues, log_ratios
from race.stats.verdict import winner

WORKERS = "workers"
"""The factor with the number of processes of the party under test."""
CPU, CONNECTIONS = "process_ns", "process_connections"
"""Meters of the processes of the party under test, the largest figure of each load first."""
_OWN_PART = re.compile(r"(, |-|^)(\d+ workers?|workers=\d+)(?=, | \(|-|$)")

Rates = Mapping[str, RoundValues]
Group = Mapping[int, ContenderResult]
"""A contender's results by its number of workers."""


@dataclass(frozen=True, slots=True)
class Point:
    """A contender with so many workers; `crowded`: they had no cores of their own.

    `speedup` is the ratio of its rate to that of one worker, None where that one is not known
    exactly. `faster`: than with the number of workers before. `shares` are the fractions of CPU
    time of its workers, `connections` the numbers that each had open in the middle of a load:
    medians over cells, the largest first.
    """

    workers: int
    item: ContenderResult
    crowded: bool
    speedup: Estimate | None
    faster: bool
    shares: Sequence[float]
    connections: Sequence[float]

    @property
    def exact(self) -> bool:
        """Return whether the rate is what these workers do on cores of their own."""
        return self.item.state == "ranked" and not self.crowded


@dataclass(frozen=True, slots=True)
class Scaling:
    """A contender on a work by its number of workers, fewest first; `name` leaves that number out.

    `knee` is the first number of workers after which the next is not shown to be faster; None
    where each step was. `law` is fitted to the points that are exact, if they are enough.
    """

    name: str
    points: Sequence[Point]
    knee: Point | None
    law: Law | None

    @property
    def after_knee(self) -> Point | None:
        """The point that is not shown to be faster than the knee."""
        return next((two for one, two in pairwise(self.points) if one is self.knee), None)


def scalings(analysis: Analysis, comparison: Comparison) -> list[Scaling]:
    """Return every contender that has a rate with one worker and with more."""
    rates = values(analysis.counted, rate).get(comparison.work, {})
    cells = [cell for cell in analysis.counted if cell.work == comparison.work]
    found = (
        _points(analysis.race.head, comparison, group, rates, cells)
        for group in _groups(comparison.results)
    )
    return [_scaling(points) for points in found]


def own_name(label: str) -> str:
    """Return a label without the number of workers."""
    return _OWN_PART.sub("", label) or label


def _groups(results: Sequence[ContenderResult]) -> Iterator[Group]:
    """Yield the results that differ in the number of workers alone, where there are several."""
    found: dict[tuple[object, ...], dict[int, ContenderResult]] = {}
    for item in results:
        others = {name: level for name, level in item.factors.items() if name != WORKERS}
        if item.throughput and item.factors.get(WORKERS, "").isdecimal():
            key = (own_name(item.name), *sorted(others.items()))
            found.setdefault(key, {})[int(item.factors[WORKERS])] = item
    for group in found.values():
        if 1 in group and len(group) > 1:
            yield dict(sorted(group.items()))


def _points(
    head: Head, comparison: Comparison, group: Group, rates: Rates, cells: Sequence[Cell]
) -> list[Point]:
    one, before = group[1], group[1]
    found = []
    for workers, item in group.items():

        def ratio(other: ContenderResult, label: str = item.label) -> Estimate | None:
            return comparison.kept.estimate(log_ratios(rates[label], rates[other.label]))

        own = [cell for cell in cells if cell.label == item.label]
        found.append(
            Point(
                workers=workers,
                item=item,
                crowded=crowded(head, workers),
                speedup=ratio(one) if one.state == "ranked" else None,
                faster=item is not one and winner(ratio(before), comparison.margin) > 0,
                shares=_medians(own, CPU, workers, whole=True),
                connections=_medians(own, CONNECTIONS, workers),
            )
        )
        before = item
    return found


def crowded(head: Head, workers: int) -> bool:
    """Return whether so many workers share cores with other parties, as far as is known."""
    own = head.scenario.get("cores", "own") == "own"
    most = head.tested_machine.cores or math.inf
    alone = head.tested_machine is not head.environment  # no other party is there
    return not own or workers >= most + alone


def _scaling(points: Sequence[Point]) -> Scaling:
    knee = next((one for one, two in pairwise(points) if not two.faster), None)
    speedups = {one.workers: one.speedup.ratio for one in points if one.exact and one.speedup}
    return Scaling(own_name(points[0].item.label), points, knee, fit(speedups))


def _medians(
    cells: Sequence[Cell], meter: str, workers: int, whole: bool = False
) -> Sequence[float]:
    """Return the medians of the largest figure, the second largest, ...; fractions if `whole`."""
    each = []
    for cell in cells:
        figures = sorted(cell.meters.get(meter, {}).values(), reverse=True)[:workers]
        total = (math.fsum(figures) or 1.0) if whole else 1.0
        if len(figures) == workers:
            each.append([one / total for one in figures])
    return [statistics.median(column) for column in zip(*each, strict=True)]
