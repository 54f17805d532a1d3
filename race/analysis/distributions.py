"""Distributions of latency where a fixed number of units is under way, means over tasks, and
percentiles at a fixed rate with their intervals.

In a closed loop the mean latency restates the rate, but the spread of latencies does not.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from race.analysis import values
from race.analysis.analyse import twins
from race.analysis.model import Analysis, Comparison, ContenderResult, Spread, spread
from race.analysis.values import Values
from race.saved.model import Cell, Load
from race.stats import histogram, processes
from race.stats.estimate import Estimate
from race.stats.histogram import Histogram
from race.stats.moments import Moments, pooled
from race.stats.processes import RoundValues, log_ratios

PERCENTILES = (25.0, 50.0, 75.0, 90.0, 99.0, 99.9, 99.99)
OPEN_LOOP = {"p50": 50.0, "p99": 99.0, "p99.9": 99.9}
RoundHistograms = Mapping[int, Histogram]
ROWS = "rows"
"""The fact of a task that is the number of rows one unit reads or writes."""


@dataclass(frozen=True, slots=True)
class Timed:
    """One contender on one task: times in microseconds, of all units of the cells that count.

    `percentiles` are by percent; `moments` are None where the generator has none. `rows` is the
    number of one unit, None where that is not known.
    """

    item: ContenderResult
    moments: Moments | None
    percentiles: Mapping[float, float]
    rows: float | None

    @property
    def rows_per_second(self) -> float | None:
        """The median over rounds; None where it is not known."""
        rate = self.item.throughput
        return self.rows * rate.median if rate and self.rows else None

    def cpu_us_per_row(self, party: str) -> float | None:
        """Return the CPU time of a party; None where it is not known."""
        spent = self.item.cpu_us.get(party)
        return spent / self.rows if spent is not None and self.rows else None


@dataclass(frozen=True, slots=True)
class Mean:
    """The geometric means of one contender over several tasks, of each figure by itself.

    `throughput` spreads over rounds, `ratio` is that of throughput to the reference, by rounds.
    `moments` are None, or `rows` of one unit, where they are not known of each task.
    """

    item: ContenderResult
    throughput: Spread
    ratio: Estimate | None
    moments: Moments | None
    percentiles: Mapping[float, float]
    rows: float | None
    cpu_us_per_row: float | None

    @property
    def rows_per_second(self) -> float | None:
        """The median over rounds; None where it is not known."""
        return self.rows * self.throughput.median if self.rows else None


@dataclass(frozen=True, slots=True)
class Means:
    """The means of all contenders that did all tasks under one load, the fastest first."""

    load: Load
    comparisons: list[Comparison]
    reference: str | None
    rows: list[Mean]

    @property
    def tasks(self) -> str:
        """The titles of the tasks."""
        return ", ".join(comparison.title for comparison in self.comparisons)


def timed(analysis: Analysis, comparison: Comparison) -> list[Timed]:
    """Return every contender with a rate, in the order of the comparison."""
    cells: dict[str, list[Cell]] = defaultdict(list)
    for cell in analysis.counted:
        if cell.work == comparison.work:
            cells[cell.label].append(cell)
    return [
        Timed(
            item=item,
            moments=pooled(found for cell in cells[item.label] if (found := _moments(cell))),
            percentiles=_percentiles(item.histogram),
            rows=item.facts.get(ROWS),
        )
        for item in comparison.results
        if item.throughput is not None
    ]


def summaries(analysis: Analysis) -> list[Means]:
    """Return the means over the scenario's `geometric_mean`, where anybody did all its tasks."""
    tasks = analysis.race.head.scenario.get("geometric_mean") or []
    return [one for one in means(analysis, tasks) if one.rows]


def means(analysis: Analysis, tasks: Sequence[str]) -> list[Means]:
    """Return the means for each fixed load under which all of these tasks were raced."""
    by_load: dict[Load, list[Comparison]] = defaultdict(list)
    for comparison in analysis.comparisons:
        if comparison.work.load.fixed and comparison.work.task in tasks:
            by_load[comparison.work.load].append(comparison)
    rates = values.values(analysis.counted, values.rate)
    return [
        _means(analysis, comparisons, rates)
        for comparisons in by_load.values()
        if tasks and len(comparisons) == len(set(tasks))
    ]


def _means(analysis: Analysis, comparisons: list[Comparison], rates: Values) -> Means:
    found: dict[str, list[Timed]] = defaultdict(list)
    for comparison in comparisons:
        for one in timed(analysis, comparison):
            found[one.item.label].append(one)
    logs = {
        label: mean_logs([rates[comparison.work][label] for comparison in comparisons])
        for label, each in found.items()
        if len(each) == len(comparisons)
    }
    first = comparisons[0]
    reference = first.reference if first.reference in logs else None
    own: RoundValues = logs[reference] if reference else {}
    kept = processes.mean([comparison.kept for comparison in comparisons])

    def _ratio(label: str, rounds: RoundValues) -> Estimate | None:
        return None if label == reference else kept.estimate(log_ratios(rounds, own))

    made = [
        _mean(found[label], rounds, _ratio(label, rounds), first.party)
        for label, rounds in logs.items()
        if rounds
    ]
    made.sort(key=lambda one: -one.throughput.median)
    return Means(first.work.load, comparisons, reference, made)


def _mean(each: Sequence[Timed], rounds: RoundValues, ratio: Estimate | None, party: str) -> Mean:
    throughput = spread(math.exp(log) for log in rounds.values())
    if throughput is None:
        raise ValueError("a mean needs a round")
    return Mean(
        item=each[0].item,
        throughput=throughput,
        ratio=ratio,
        moments=_mean_moments([one.moments for one in each]),
        percentiles={
            percent: mean
            for percent in PERCENTILES
            if (mean := _geometric(one.percentiles.get(percent) for one in each)) is not None
        },
        rows=_geometric(one.rows for one in each),
        cpu_us_per_row=_geometric(one.cpu_us_per_row(party) for one in each),
    )


def _mean_moments(each: Sequence[Moments | None]) -> Moments | None:
    """Return the geometric mean of each moment; None where the moments of a task are not known."""
    known = [one for one in each if one is not None]
    if len(known) < len(each):
        return None
    figures = zip(*((one.least, one.mean, one.most, one.deviation) for one in known), strict=True)
    means = [_geometric(figure) or 0.0 for figure in figures]
    return Moments(sum(one.number for one in known), *means)


def mean_logs(logs: Sequence[RoundValues]) -> RoundValues:
    """Return the mean log of each round that all tasks have; each task is its logs by round."""
    common = set(logs[0]).intersection(*logs[1:])
    return {number: statistics.fmean(one[number] for one in logs) for number in common}


def _geometric(numbers: Iterable[float | None]) -> float | None:
    """Return the geometric mean; None where one number is not known."""
    known = list(numbers)
    found = [number for number in known if number]
    return statistics.geometric_mean(found) if found and len(found) == len(known) else None


def drawn(one: Timed | Mean) -> Mapping[float, float]:
    """Return the percentiles, with the least time as 0 and the longest as 100."""
    ends = {0.0: one.moments.least, 100.0: one.moments.most} if one.moments else {}
    return {**ends, **one.percentiles}


def _moments(cell: Cell) -> Moments | None:
    known = cell.latency_us
    if not cell.count or not {"min", "mean", "max", "deviation"} <= known.keys():
        return None
    return Moments(cell.count, known["min"], known["mean"], known["max"], known["deviation"])


def _percentiles(merged: histogram.Histogram) -> dict[float, float]:
    """Return the percentiles that a unit exceeds; all others would be the maximum."""
    units = sum(count for _, count in merged)
    known = [percent for percent in PERCENTILES if units * (100 - percent) >= 100]
    found = {percent: histogram.percentile(merged, percent) for percent in known}
    return {percent: us for percent, us in found.items() if us is not None}


@dataclass(frozen=True, slots=True)
class Latencies:
    """The latencies of a comparison at a fixed rate.

    `intervals` are the 95 % intervals of percentiles in microseconds, by label and percentile.
    `bands` are factors by percentile: the twins, which run the same code, are not shown to differ
    by more. What has too few rounds or requests is missing.
    """

    intervals: Mapping[str, Mapping[str, tuple[float, float]]]
    bands: Mapping[str, float]


def latencies(analysis: Analysis, comparison: Comparison) -> Latencies:
    """Return the intervals of percentiles, and the A/A bands."""
    cells: dict[str, dict[int, Histogram]] = defaultdict(dict)
    for cell in analysis.counted:
        if cell.work == comparison.work:
            cells[cell.label][cell.round] = cell.histogram
    intervals = {
        label: {
            name: found
            for name, percent in OPEN_LOOP.items()
            if (found := histogram.interval(rounds, percent))
        }
        for label, rounds in cells.items()
    }
    return Latencies(intervals, _bands(analysis, cells))


def _bands(analysis: Analysis, cells: Mapping[str, RoundHistograms]) -> dict[str, float]:
    """Return the farther end of the 90 % interval of twin against original, as a factor."""
    known = twins(analysis.race.head.contenders)
    pairs = [
        (cells[one], cells[other]) for one, other in known.items() if {one, other} <= cells.keys()
    ]
    found: dict[str, float] = {}
    for name, percent in OPEN_LOOP.items():
        ends = [histogram.ratio_interval(*pair, percent) for pair in pairs]
        logs = [abs(math.log(end)) for both in ends if both for end in both]
        if logs:
            found[name] = math.exp(max(logs))
    return found
