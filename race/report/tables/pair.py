"""Two contenders side by side: each ratio of each task, and what it says in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from race.analysis.model import Analysis, Comparison, ContenderResult
from race.report import format as words
from race.report.table import TEXT, Column, ReportTable, fill
from race.report.tables import values
from race.report.tables.values import RATIO, Ratio
from race.stats.estimate import Estimate


class Task(NamedTuple):
    """The result of the second contender on one task, and at the rate that both were offered."""

    comparison: Comparison
    item: ContenderResult
    rated: ContenderResult | None

    @property
    def rate(self) -> Ratio | None:
        """The ratio of units/s."""
        return Ratio(self.item.ratio) if self.item.ratio else None

    @property
    def cpu(self) -> Ratio | None:
        """The ratio of CPU time per unit."""
        return Ratio(self.item.cpu_ratio) if self.item.cpu_ratio else None

    @property
    def p99(self) -> Ratio | None:
        """The ratio of p99 at the same rate."""
        found = self.rated and self.rated.p99_ratio
        return Ratio(found) if found else None

    @property
    def words(self) -> str:
        """The verdict, and the p99 where its interval excludes 1."""
        said = values.verdict(self.comparison, self.item) or words.NONE
        p99 = self.p99 and _beside_one(self.p99.estimate)
        return f"{said}, p99 {p99}" if p99 else said


def _beside_one(estimate: Estimate) -> str:
    longer, shorter = estimate.low > 0, estimate.high < 0
    return "longer" if longer else "shorter" if shorter else ""


def pair(analysis: Analysis) -> ReportTable | None:
    """Return a row for each task of a race of two contenders; None of any other race."""
    head = analysis.race.head
    labels = [one.label for one in head.contenders if not one.aa]
    if len(labels) != 2 or head.baseline not in labels:
        return None
    (second,) = (label for label in labels if label != head.baseline)
    tasks = list(_tasks(analysis, second))
    if not tasks:
        return None
    unit = words.one(analysis.discipline.unit)
    columns = (
        Column(analysis.discipline.task, lambda task: task.comparison.place, TEXT),
        Column(f"{analysis.discipline.unit}/s [95 %]", lambda task: task.rate, RATIO),
        Column(f"CPU time per {unit} [95 %]", lambda task: task.cpu, RATIO),
        Column("p99 at one rate [95 %]", lambda task: task.p99, RATIO),
        Column("in words", lambda task: task.words, TEXT),
    )
    caption = f"Ratios of {second} to {head.baseline}, with 95 % intervals."
    return fill(f"{second} against {head.baseline}", columns, tasks, caption)


def _tasks(analysis: Analysis, second: str) -> Iterator[Task]:
    baseline = analysis.race.head.baseline
    for comparison in analysis.closed():
        item = comparison.result(second)
        if item is None or comparison.reference != baseline:
            continue
        rated = [
            found
            for one in analysis.comparisons
            if one.rated and one.work.task == comparison.work.task
            if (found := one.result(second)) and found.p99_ratio
        ]
        yield Task(comparison, item, rated[0] if len(rated) == 1 else None)
