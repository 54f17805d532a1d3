"""The cells of a race that count, and the value of each round.

A cell counts when its status is ok and it is not of the calibration; of two records of one cell
(measured again, or in a resumed race) the later counts. Where a contender did not keep up with a
fixed rate or a user load even once, none of its cells there counts: the percentiles of the others
would be those of survivors.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable

from race.saved.model import CALIBRATION, NOBODY, Cell, Discipline, Load, Work
from race.saved.reader import SavedRace
from race.stats import little

GENERATOR = "generator"
"""The party that drives the load, where it has processes of its own."""

FEWEST_FOR_P99 = 200
"""The fewest requests of a cell whose p99 is compared: the second or third longest of them is a
figure that scatters much, and alike for all contenders."""

Measure = Callable[[Cell], float | None]
Values = dict[Work, dict[str, dict[int, float]]]
"""A logarithm for each work, contender's label and round number."""


def title(discipline: Discipline, task: str) -> str:
    """Return a task as people read it: "Good"."""
    return discipline.tasks.get(task, task)


def place(discipline: Discipline, work: Work) -> str:
    """Return a task and what is special about its load: "Ugly, 24 pipelined", "Wide rows, 10 at
    once".
    """
    text, load = title(discipline, work.task), work.load
    text += f", {load.pipeline} pipelined" if load.pipeline > 1 else ""
    return f"{text}, {load.connections} at once" if load.fixed else text


def load_text(load: Load, unit: str) -> str:
    """Return a load as a phrase: "100 connections, 24 requests pipelined"."""
    if load.user_load:
        return (
            f"{load.user_load.user}s by the shape {load.user_load.shape}, up to {load.connections}"
        )
    parts = [f"{load.connections} {'at once' if load.fixed else 'connections'}"]
    if load.pipeline > 1:
        parts.append(f"{load.pipeline} {unit} pipelined")
    if load.rate is not None:
        parts.append(f"{load.rate:,.0f} {unit}/s offered")
    return ", ".join(parts)


def one(unit: str) -> str:
    """Return the singular of a unit: "request"."""
    return unit.removesuffix("s")


def a(noun: str) -> str:
    """Return a noun with its article: "an engine"."""
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"


def workers(discipline: Discipline) -> list[str]:
    """Return the parties whose CPU time a unit costs: all but the load generator."""
    return [party for party in discipline.parties if party != GENERATOR]


def in_order(works: Iterable[Work], discipline: Discipline) -> list[Work]:
    """Return works once each: by the discipline's order of tasks, pipeline depth, then rate."""
    tasks = list(discipline.tasks)

    def key(work: Work) -> tuple[int, str, int, float, int, str]:
        known = tasks.index(work.task) if work.task in tasks else len(tasks)
        load = work.load
        rate = load.rate or 0.0
        return known, work.task, load.pipeline, rate, load.connections, load.generator

    return sorted(dict.fromkeys(works), key=key)


def counted(race: SavedRace) -> list[Cell]:
    """Return the cells that count, in the order of the file."""
    found = latest_cells(race)
    late = {(cell.label, cell.work) for cell in found if cell.status == "overloaded"}
    return [cell for cell in found if cell.status == "ok" and (cell.label, cell.work) not in late]


def latest_cells(race: SavedRace) -> list[Cell]:
    """Return the last record of each cell, whatever its status, in the order of the file."""
    latest = {(cell.round, cell.label, cell.work): cell for cell in race.cells}
    return [cell for cell in latest.values() if cell.round != CALIBRATION]


def values(cells: Iterable[Cell], measure: Measure) -> Values:
    """Return the log of `measure` in each round; a None or 0 was not measured."""
    found: Values = {}
    for cell in cells:
        value = measure(cell)
        if value:
            found.setdefault(cell.work, {}).setdefault(cell.label, {})[cell.round] = math.log(value)
    return found


def rate(cell: Cell) -> float | None:
    """Return units per second."""
    return cell.throughput


def cpu_us(party: str) -> Measure:
    """Return the measure of CPU microseconds per unit that a party used."""

    def measure(cell: Cell) -> float | None:
        spent = cell.metered("cpu_ns", party)
        return spent / 1e3 / cell.count if spent and cell.count else None

    return measure


def p99_us(cell: Cell) -> float | None:
    """Return the p99 of a cell at a fixed rate, in microseconds; None of a closed loop, or of fewer
    requests than `FEWEST_FOR_P99`.
    """
    enough = cell.load.rate is not None and (cell.count or 0) >= FEWEST_FOR_P99
    return cell.latency_us.get("p99") if enough else None


def who_was_saturated(limit: str | None) -> str:
    """Return who was saturated, as a clause."""
    if limit is None:
        return "who was saturated is not known"
    if limit == NOBODY:
        return "no core was saturated"
    return f"the {limit} {'were' if ' and ' in limit else 'was'} saturated"


def utilisation(cell: Cell) -> float | None:
    """Return `little.utilisation` of a closed-loop cell; None for others or without a mean."""
    mean, busy = cell.latency_us.get("mean"), cell.busy_connections
    if not cell.load.closed or mean is None or busy is None or not cell.seconds:
        return None
    connections = cell.connections_used or cell.load.connections
    cut = 0.0 if cell.load.fixed else mean
    return little.utilisation(busy, connections, cut, cell.seconds)


def median(numbers: Iterable[float | None]) -> float | None:
    """Return the median of the numbers that are known; None without any."""
    found = [number for number in numbers if number is not None]
    return statistics.median(found) if found else None
