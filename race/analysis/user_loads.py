"""Contenders under the same user load: answers, times and timelines.

Nobody is ranked, since users that think bound what is asked. Every pair that differs in one factor
has ratios by rounds, with intervals. A group are contenders under the same conditions, which is the
part of a label behind the name.

A contender that did not keep up is compared by how much went well. Its times are those of a user
load that was turned away, and are compared with nobody's.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from race.analysis.model import Analysis, Comparison, ContenderResult, Spread, spread
from race.analysis.trust import most_often_saturated
from race.analysis.values import Measure, cpu_us, latest_cells, median, values
from race.saved.model import Cell, Moment, Work
from race.stats import signed_rank
from race.stats.estimate import Estimate
from race.stats.processes import log_ratios

STEPS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0)
"""Seconds between two points of a timeline that is drawn."""
MOST_POINTS = 60

ALL = "all"
"""The row of all parts together."""
TWIN = "A/A"
"""The factor of a pair that differs in nothing."""


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a timeline `at` seconds: mean, least and largest over rounds."""

    at: float
    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PartFigures:
    """The units of one kind in a cell, and the median of their times in microseconds."""

    count: Spread
    p50_us: Spread | None


@dataclass(frozen=True, slots=True)
class UserLoadResult:
    """One contender under a user load: figures of a cell over rounds, by part (ALL first).

    `lost` is the fraction that did not go well; in `late` of its `cells` that was too much. `full`
    is the party whose core was saturated most often, `cpu_us` the CPU time that a unit takes the
    party under test. `timelines` are by figure.
    """

    item: ContenderResult
    cells: int
    late: int
    lost: Spread | None
    saturated: str | None
    cpu_us: float | None
    by_name: dict[str, PartFigures]
    p95_us: Spread | None
    timelines: dict[str, list[Point]]


@dataclass(frozen=True, slots=True)
class UserLoadRatios:
    """The ratios of one contender to another that differ in the factor `differ`, or in nothing
    (TWIN); of a time, less is better.
    """

    label: str
    other: str
    differ: str
    count: Estimate | None
    p50: Estimate | None
    p95: Estimate | None
    cpu: Estimate | None


@dataclass(frozen=True, slots=True)
class UserLoadGroup:
    """Contenders under one user load and the same `conditions` ("link 2 ms", or empty)."""

    comparison: Comparison
    conditions: str
    rounds: int
    sides: list[UserLoadResult]
    pairs: list[UserLoadRatios]

    @property
    def title(self) -> str:
        """The task's title and the conditions."""
        return ", ".join(filter(None, (self.comparison.title, self.conditions)))

    @property
    def names(self) -> list[str]:
        """The kinds of units that anybody was asked for."""
        return list(dict.fromkeys(name for side in self.sides for name in side.by_name))


TIMELINES: Mapping[str, Callable[[Moment], float | None]] = {
    "users": lambda moment: moment.users,
    "throughput": lambda moment: moment.throughput,
    "p50": lambda moment: moment.p50_us,
    "p95": lambda moment: moment.p95_us,
    "connections": lambda moment: moment.connections,
    "active": lambda moment: moment.active,
}
"""The figures of a moment, in the order of the report."""
COUNT, REQUESTS = "count", "requests"
"""The measures of requests that went well, and of all requests, as load generators count."""
MEASURES: Mapping[str, Measure] = {
    COUNT: lambda cell: cell.count,
    REQUESTS: lambda cell: None if cell.count is None else cell.count + _failed(cell),
    "p50": lambda cell: cell.latency_us.get("p50"),
    "p95": lambda cell: cell.latency_us.get("p95"),
    "cpu": cpu_us("server"),
}
"""The figures that are compared round by round; `cpu` is the server's time for a request that went
well."""


@dataclass(frozen=True, slots=True)
class WatchedComparison:
    """A comparison without a user load whose cells were watched from begin to end."""

    comparison: Comparison
    sides: list[UserLoadResult]


def user_loads(analysis: Analysis) -> list[UserLoadGroup]:
    """Return a group for each user load and conditions, in the order of the contenders."""
    found = []
    for comparison in analysis.comparisons:
        if comparison.work.load.user_load is None:
            continue
        groups: dict[str, list[ContenderResult]] = defaultdict(list)
        for item in sorted(comparison.results, key=_as_declared(analysis)):
            if item.throughput is not None or item.state == "overloaded":
                groups[item.label.removeprefix(item.name)].append(item)
        found += [_group(analysis, comparison, *group) for group in groups.items()]
    return found


def known_limits(groups: Sequence[UserLoadGroup]) -> list[str]:
    """Return remarks on the figures of the generators that drove these user loads."""
    comparisons = [group.comparison for group in groups]
    texts = (
        one.discipline.level_texts.get("generator", {}).get(one.work.load.generator)
        for one in comparisons
    )
    return [text for text in dict.fromkeys(texts) if text]


def watched(analysis: Analysis) -> list[WatchedComparison]:
    """Return comparisons of a closed loop that have timelines, in the order of the contenders."""
    found = []
    for comparison in analysis.comparisons:
        cells = _by_label(analysis, comparison)
        watched = [cell.timeline for each in cells.values() for cell in each if cell.timeline]
        if comparison.work.load.user_load is not None or not watched:
            continue
        step = _step(max(timeline[-1].at for timeline in watched))
        items = sorted(comparison.results, key=_as_declared(analysis))
        sides = [
            _side(one, cells[one.label], comparison.party, step)
            for one in items
            if one.throughput is not None
        ]
        found.append(WatchedComparison(comparison, sides))
    return found


def _step(seconds: float) -> float:
    """Return the seconds between two points, so that few enough are drawn at round times."""
    return next((step for step in STEPS if seconds / step <= MOST_POINTS), STEPS[-1])


def _by_label(analysis: Analysis, comparison: Comparison) -> dict[str, list[Cell]]:
    """Return the cells of a comparison that are shown (`shown_cells`), by contender."""
    cells: dict[str, list[Cell]] = defaultdict(list)
    for cell in shown_cells(analysis):
        if cell.work == comparison.work:
            cells[cell.label].append(cell)
    return cells


def _as_declared(analysis: Analysis) -> Callable[[ContenderResult], int]:
    labels = [one.label for one in analysis.race.head.contenders]
    return lambda item: labels.index(item.label) if item.label in labels else len(labels)


def _group(
    analysis: Analysis, comparison: Comparison, more: str, items: Sequence[ContenderResult]
) -> UserLoadGroup:
    cells = _by_label(analysis, comparison)
    return UserLoadGroup(
        comparison=comparison,
        conditions=more.removeprefix(", "),
        sides=[
            _side(item, cells[item.label], comparison.party) for item in items if cells[item.label]
        ],
        rounds=len({cell.round for found in cells.values() for cell in found}),
        pairs=list(_pairs(analysis, comparison, items)),
    )


def shown_cells(analysis: Analysis) -> list[Cell]:
    """Return the cells that count, and those of user loads that were too much for a contender."""
    return [
        cell
        for cell in latest_cells(analysis.race)
        if cell.status == "ok" or (cell.load.user_load and cell.status == "overloaded")
        if cell.count is not None
    ]


def _side(
    item: ContenderResult, cells: Sequence[Cell], party: str, step: float = 1.0
) -> UserLoadResult:
    names = dict.fromkeys(name for cell in cells for name in sorted(cell.by_name))
    rows = {ALL: _row([(cell.count or 0, cell.latency_us.get("p50")) for cell in cells])}
    for name in names:
        found = [cell.by_name[name] for cell in cells if name in cell.by_name]
        rows[name] = _row([(part.count, part.latency_us.get("p50")) for part in found])
    cost = cpu_us(party)
    return UserLoadResult(
        item=item,
        cells=len(cells),
        late=sum(cell.status == "overloaded" for cell in cells),
        lost=spread(map(_lost, cells)),
        saturated=most_often_saturated(cells),
        cpu_us=median(map(cost, cells)),
        by_name={name: row for name, row in rows.items() if row is not None},
        p95_us=spread(cell.latency_us.get("p95") for cell in cells),
        timelines={
            name: points
            for name, figure in TIMELINES.items()
            if (points := _timeline(figure, (cell.timeline for cell in cells), step))
        },
    )


def _failed(cell: Cell) -> int:
    return sum(cell.errors.values())


def _lost(cell: Cell) -> float:
    failed = _failed(cell)
    return failed / max(1, failed + (cell.count or 0))


def _row(found: Sequence[tuple[int, float | None]]) -> PartFigures | None:
    counts = spread(float(count) for count, _ in found)
    return None if counts is None else PartFigures(counts, spread(p50 for _, p50 in found))


def _timeline(
    figure: Callable[[Moment], float | None], timelines: Iterable[Sequence[Moment]], step: float
) -> list[Point]:
    """Return the points of a figure in steps of so many seconds, from the rounds that have it."""
    steps: dict[int, list[float]] = defaultdict(list)
    for timeline in timelines:
        for moment in timeline:
            if (value := figure(moment)) is not None:
                steps[round(moment.at / step)].append(float(value))
    return [
        Point(round(place * step, 3), statistics.fmean(found), min(found), max(found))
        for place, found in sorted(steps.items())
    ]


def _pairs(
    analysis: Analysis, comparison: Comparison, items: Sequence[ContenderResult]
) -> Iterator[UserLoadRatios]:
    """Yield the pairs that differ in one factor, then the A/A twin against its original."""
    kind = analysis.discipline
    known = {one.label: one.factors for one in analysis.race.head.contenders}
    base = known.get(comparison.baseline, {})
    for one, other in combinations(items, 2):
        differ = [name for name in kind.factors if one.factors.get(name) != other.factors.get(name)]
        if len(differ) == 1:
            name = differ[0]
            turned = one.factors.get(name) == base.get(name)
            first, second = (other, one) if turned else (one, other)
            yield _versus(analysis, comparison, first.label, second.label, name)
    labels = {(item.name, tuple(sorted(item.factors.items()))): item.label for item in items}
    for twin in analysis.race.head.contenders:
        original = labels.get((twin.name, tuple(sorted(twin.factors.items()))))
        if twin.aa and original is not None:
            yield _versus(analysis, comparison, twin.label, original, TWIN)


def _versus(
    analysis: Analysis, comparison: Comparison, label: str, other: str, differ: str
) -> UserLoadRatios:
    names = (COUNT, "p50", "p95", "cpu")
    found = [ratio(analysis, comparison.work, name, label, other) for name in names]
    return UserLoadRatios(label, other, differ, *found)


def ratio(analysis: Analysis, work: Work, name: str, label: str, other: str) -> Estimate | None:
    """Estimate the ratio of one of MEASURES between two contenders.

    None without a common round, for a time where one did not keep up, for a count where one had a
    round in which nothing went well.
    """
    cells = shown_cells(analysis) if name in (COUNT, REQUESTS) else analysis.counted
    if any(not cell.count for cell in cells if cell.work == work and cell.label in (label, other)):
        return None
    logs = values(cells, MEASURES[name]).get(work, {})
    ratios = log_ratios(logs.get(label, {}), logs.get(other, {}))
    return signed_rank.hodges_lehmann(list(ratios.values())) if ratios else None
