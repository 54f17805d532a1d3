"""The cells of a race: all that is saved of each as CSV, what a person looks for in HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from race.analysis.model import Analysis
from race.analysis.values import cpu_us, workers
from race.report import format as words
from race.report.outcomes import Outcomes
from race.report.table import COUNT, PLAIN, TEXT, Column, ReportTable, TableRow, fill
from race.saved.model import Cell

LATENCIES = ("mean", "p50", "p99", "p99.9", "max")


class Absent(NamedTuple):
    """A dash in place of a figure, and why there is none."""

    why: str

    def __str__(self) -> str:
        return words.NONE


def spreadsheet(analysis: Analysis) -> ReportTable:
    """Return a row for each cell in the order of the race, nothing of it rounded.

    Latencies and CPU time (of each party, for a unit) are microseconds, steal and foreign are
    fractions. None is what was not measured; a rate of None is a closed loop.
    """
    return fill("Cells", _fields(analysis), analysis.race.cells)


def _fields(analysis: Analysis) -> list[Column]:
    """Return the columns of a race: a factor or fact that a contender has has one, and a party."""
    head, outcomes = analysis.race.head, Outcomes(analysis)
    levels = {one.label: one.factors for one in head.contenders}
    had = {factor for one in levels.values() for factor in one}
    factors = [factor for factor in analysis.discipline.factors if factor in had]
    facts = {one.label: one.facts for one in head.contenders}
    known = dict.fromkeys(about for one in facts.values() for about in one)
    return [
        Column("race", lambda cell: head.race),
        *map(_attribute, ("round", "order", "label")),
        *(_field(one, levels) for one in factors),
        *(_field(one, facts) for one in known),
        _attribute("task"),
        Column("generator", lambda cell: cell.load.generator),
        Column("connections", lambda cell: cell.connections_used or cell.load.connections),
        Column("pipeline", lambda cell: cell.load.pipeline),
        Column("rate", lambda cell: cell.load.rate),
        _attribute("status"),
        Column("outcome", outcomes.outcome),
        *map(_attribute, ("saturated", "reason", "count", "seconds", "throughput")),
        Column("errors", _errors),
        *(Column(f"cpu_us_{party}", cpu_us(party)) for party in analysis.discipline.parties),
        *map(_latency, LATENCIES),
        *map(_attribute, ("steal", "foreign", "started_at")),
    ]


def _field(factor: str, levels: Mapping[str, Mapping[str, str]]) -> Column:
    return Column(factor, lambda cell: levels.get(cell.label, {}).get(factor))


def _latency(name: str) -> Column:
    return Column(f"{name}_us", lambda cell: cell.latency_us.get(name))


def _attribute(name: str) -> Column:
    return Column(name, lambda cell: getattr(cell, name))


def _errors(cell: Cell) -> int | None:
    return None if cell.count is None else sum(cell.errors.values())


def cells(analysis: Analysis) -> ReportTable:
    """Return a row for each cell; figures of one that does not count are raw and marked."""
    discipline, outcomes = analysis.discipline, Outcomes(analysis)

    def raw(cell: Cell, value: float | None) -> str:
        unsure = "?" * (outcomes.status(cell) != "ok")
        return words.number(value) + unsure if value else ""

    def rate(cell: Cell) -> str:
        known = cell.throughput and cell.load.closed
        bound = "≥ " if known and cell.limit != discipline.parties[0] else ""
        return bound + raw(cell, cell.throughput)

    def latency(name: str) -> Column:
        def text(cell: Cell) -> Absent | str:
            us = cell.latency_us.get(name)
            return Absent(cell.no_latency) if cell.no_latency else raw(cell, us and us / 1e3)

        return Column(f"{name} ms", text, PLAIN)

    def cost(party: str) -> Column:
        return Column(f"{party} µs", lambda cell: raw(cell, cpu_us(party)(cell)), PLAIN)

    columns = (
        Column("round", lambda cell: cell.round, TEXT),
        Column("place", lambda cell: cell.order, TEXT),
        Column("contender", lambda cell: cell.label, TEXT),
        Column(discipline.task, _task, TEXT),
        Column("depth", lambda cell: cell.load.pipeline, TEXT),
        Column("rate", lambda cell: f"{cell.load.rate:,.0f}" if cell.load.rate else "", TEXT),
        Column("status", outcomes.status, TEXT),
        Column("saturated", lambda cell: cell.limit or "", TEXT),
        Column(f"{discipline.unit}/s", rate, PLAIN),
        *map(latency, ("p50", "p99")),
        Column("errors", lambda cell: sum(cell.errors.values()), COUNT),
        *map(cost, workers(discipline)),
        Column("steal %", lambda cell: _hundredths(cell.steal), PLAIN),
        Column("foreign %", lambda cell: _hundredths(cell.foreign), PLAIN),
    )

    def row(values: Sequence[Any], cell: Cell) -> TableRow:
        status = outcomes.status(cell)
        return TableRow(values, reason="" if status == "ok" else cell.reason or status)

    return fill("All cells", columns, analysis.race.cells, css="", row=row)


def _task(cell: Cell) -> str:
    return f"{cell.task} c{cell.load.connections}" if cell.load.fixed else cell.task


def _hundredths(fraction: float | None) -> str:
    return "" if fraction is None else f"{100 * fraction:.1f}"
