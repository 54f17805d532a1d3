"""The cells of a race as CSV, for a spreadsheet or a data frame."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from functools import cached_property

from race.analysis.model import Analysis
from race.analysis.values import cpu_us
from race.report.fates import Fates
from race.saved.model import Cell

BEFORE = ("race", "round", "order", "label")
LOADED = (
    *("task", "generator", "connections", "pipeline", "rate", "status", "fate", "full", "reason"),
    *("count", "seconds", "throughput", "errors"),
)
LATENCIES = ("mean", "p50", "p99", "p99.9", "max")
AFTER = ("steal", "foreign", "started_at")

Value = str | float | None


def page(analysis: Analysis) -> str:
    """A heading, and a row for each cell in the order of the race.

    Nothing is rounded; latencies and CPU time (of each party, for a unit) are microseconds, steal
    and foreign fractions; empty is what was not measured, an empty rate a closed loop.
    """
    table = _Table(analysis)
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(table.heading)
    writer.writerows(table.row(cell) for cell in analysis.race.cells)
    return file.getvalue()


@dataclass(frozen=True)
class _Table:
    """The columns of one race: a factor has one where a contender has it, a party has one."""

    analysis: Analysis

    @cached_property
    def fates(self) -> Fates:
        """Of the cells."""
        return Fates(self.analysis)

    @cached_property
    def levels(self) -> dict[str, dict[str, str]]:
        """By contender's label, then factor."""
        return {one.label: one.factors for one in self.analysis.race.head.contenders}

    @cached_property
    def factors(self) -> list[str]:
        """In the discipline's order."""
        had = {factor for levels in self.levels.values() for factor in levels}
        return [factor for factor in self.analysis.discipline.factors if factor in had]

    @property
    def heading(self) -> list[str]:
        """The name of each column."""
        costs = (f"cpu_us_{party}" for party in self.analysis.discipline.parties)
        times = (f"{name}_us" for name in LATENCIES)
        return [*BEFORE, *self.factors, *LOADED, *costs, *times, *AFTER]

    def row(self, cell: Cell) -> list[Value]:
        """The value of each column."""
        head, levels = self.analysis.race.head, self.levels.get(cell.label, {})
        return [
            *(head.race, cell.round, cell.order, cell.label),
            *(levels.get(factor) for factor in self.factors),
            *self._loaded(cell),
            *(cpu_us(party)(cell) for party in self.analysis.discipline.parties),
            *(cell.latency_us.get(name) for name in LATENCIES),
            *(cell.steal, cell.foreign, cell.started_at),
        ]

    def _loaded(self, cell: Cell) -> list[Value]:
        load, fate = cell.load, self.fates.of(cell)
        errors = None if cell.count is None else sum(cell.errors.values())
        connections = cell.connections_used or load.connections
        return [
            *(cell.task, load.generator, connections, load.pipeline, load.rate),
            *(cell.status, fate, cell.saturated, cell.reason),
            *(cell.count, cell.seconds, cell.throughput, errors),
        ]
