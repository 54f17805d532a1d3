"""The cells of a race: all that is saved of each as CSV, what a person looks for in HTML."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from race.analysis.model import Analysis
from race.analysis.values import cpu_us, workers
from race.report import format as words
from race.report.outcomes import Outcomes
from race.report.table import COUNT, PLAIN, TEXT, Column, Row, Table
from race.saved.model import Cell

LATENCIES = ("mean", "p50", "p99", "p99.9", "max")


class Absent(NamedTuple):
    """A dash in place of a figure, and why there is none."""

    why: str

    def __str__(self) -> str:
        return words.NONE


class Field(NamedTuple):
    """One thing that is known of a cell: its name in CSV, and its value there."""

    name: str
    value: Callable[[Cell], Any]


def spreadsheet(analysis: Analysis) -> Table:
    """Return a row for each cell in the order of the race, nothing of it rounded.

    Latencies and CPU time (of each party, for a unit) are microseconds, steal and foreign are
    fractions. None is what was not measured; a rate of None is a closed loop.
    """
    fields = _fields(analysis)
    rows = [Row([field.value(cell) for field in fields]) for cell in analysis.race.cells]
    return Table("Cells", [Column(field.name, PLAIN) for field in fields], rows)


def _fields(analysis: Analysis) -> list[Field]:
    """Return the columns of a race: a factor has one where a contender has it, a party has one."""
    head, outcomes = analysis.race.head, Outcomes(analysis)
    levels = {one.label: one.factors for one in head.contenders}
    had = {factor for one in levels.values() for factor in one}
    factors = [factor for factor in analysis.discipline.factors if factor in had]
    return [
        Field("race", lambda cell: head.race),
        *map(_attribute, ("round", "order", "label")),
        *(_field(one, levels) for one in factors),
        _attribute("task"),
        Field("generator", lambda cell: cell.load.generator),
        Field("connections", lambda cell: cell.connections_used or cell.load.connections),
        Field("pipeline", lambda cell: cell.load.pipeline),
        Field("rate", lambda cell: cell.load.rate),
        _attribute("status"),
        Field("outcome", outcomes.outcome),
        *map(_attribute, ("saturated", "reason", "count", "seconds", "throughput")),
        Field("errors", _errors),
        *(Field(f"cpu_us_{party}", cpu_us(party)) for party in analysis.discipline.parties),
        *map(_latency, LATENCIES),
        *map(_attribute, ("steal", "foreign", "started_at")),
    ]


def _field(factor: str, levels: Mapping[str, Mapping[str, str]]) -> Field:
    return Field(factor, lambda cell: levels.get(cell.label, {}).get(factor))


def _latency(name: str) -> Field:
    return Field(f"{name}_us", lambda cell: cell.latency_us.get(name))


def _attribute(name: str) -> Field:
    return Field(name, lambda cell: getattr(cell, name))


def _errors(cell: Cell) -> int | None:
    return None if cell.count is None else sum(cell.errors.values())


def cells(analysis: Analysis) -> Table:
    """Return a row for each cell; figures of one that does not count are raw and marked."""
    discipline, outcomes = analysis.discipline, Outcomes(analysis)
    plain = ("place", "contender", discipline.task, "depth", "rate", "status", "saturated")
    columns = (
        *(Column(title, TEXT) for title in ("round", *plain)),
        *(Column(title, PLAIN) for title in (f"{discipline.unit}/s", "p50 ms", "p99 ms")),
        Column("errors", COUNT),
        *(Column(f"{party} µs", PLAIN) for party in workers(discipline)),
        *(Column(title, PLAIN) for title in ("steal %", "foreign %")),
    )
    rows = [_row(analysis, cell, outcomes.status(cell)) for cell in analysis.race.cells]
    return Table("All cells", columns, rows, heading=2, css="")


def _row(analysis: Analysis, cell: Cell, status: str) -> Row:
    load, party = cell.load, analysis.discipline.parties[0]
    unsure = "?" * (status != "ok")

    def raw(value: float | None) -> str:
        return words.number(value) + unsure if value else ""

    bound = "≥ " if cell.throughput and load.fills and cell.saturated != party else ""
    times = (cell.latency_us.get(name) for name in ("p50", "p99"))
    spent = (cpu_us(one)(cell) or 0 for one in workers(analysis.discipline))
    return Row(
        [
            *(cell.round, cell.order, cell.label),
            cell.task + (f" c{load.connections}" if load.fixed else ""),
            load.pipeline,
            "" if load.rate is None else f"{load.rate:,.0f}",
            *(status, cell.saturated or "", f"{bound}{raw(cell.throughput)}"),
            *(Absent(cell.no_latency) if cell.no_latency else raw(us and us / 1e3) for us in times),
            sum(cell.errors.values()),
            *(f"{words.number(us)}{unsure}" if cell.throughput else "" for us in spent),
            *("" if one is None else f"{100 * one:.1f}" for one in (cell.steal, cell.foreign)),
        ],
        reason="" if status == "ok" else cell.reason or status,
    )
