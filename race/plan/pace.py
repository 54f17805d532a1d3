"""What a race takes beside driving its loads: by default, or as an earlier race took here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from statistics import fmean, median
from typing import NamedTuple

import msgspec

from race.plan.order import CellKey, key_of
from race.saved.model import CALIBRATION, Cell, Environment, Head, Load
from race.saved.reader import RUN_FILE, ResultsError, SavedRace, load, read_head
from race.scenario import Scenario, WarmUpPlan

USUAL_WINDOWS = 2
INTERRUPTED_SECONDS = 60.0
"""Beyond what a cell was planned for and a race is patient for: nobody was at work meanwhile."""
LEAST_CELLS = 5
"""Fewer say nothing of the next race."""


@dataclass(frozen=True)
class Pace:
    """Seconds beside the load: of a cell (checks, waiting, measuring again), of a contender's first
    start, and of a start in a later round.

    `source` is the race that they were taken from; empty: default figures.
    """

    cell_s: float = 0.1
    start_s: float = 2.0
    restart_s: float = 1.5
    source: str = ""


DEFAULT = Pace()


def driving(warmup: WarmUpPlan, number: int, load: Load) -> float:
    """Seconds of load in a cell of a round, as planned."""
    windows = min(USUAL_WINDOWS, warmup.windows)
    if number == CALIBRATION:
        return windows * warmup.calibration_s
    return windows * warmup.window_s + load.duration_s


def newest(results: Path, scenario: Scenario, machine: Environment) -> Pace:
    """Of the newest race that was finished on this machine: one of the scenario if there is one,
    else one of its discipline. DEFAULT where there is none.
    """
    heads = [(folder, head) for folder, head in _heads(results) if _like(head, scenario, machine)]
    heads.sort(key=lambda one: (one[1].scenario.get("name") == scenario.name, one[1].started_at))
    found = (measured(load(folder), scenario.name) for folder, _ in reversed(heads))
    return next((pace for pace in found if pace is not None), DEFAULT)


def _heads(results: Path) -> Iterator[tuple[Path, Head]]:
    for path in results.glob(f"*/{RUN_FILE}"):
        try:
            yield path.parent, read_head(path.parent)
        except ResultsError:
            continue


def _like(head: Head, scenario: Scenario, machine: Environment) -> bool:
    there = head.environment
    return (
        head.finished_at is not None
        and head.discipline.name == scenario.discipline
        and (there.cpu, there.cores) == (machine.cpu, machine.cores)
    )


class _Step(NamedTuple):
    """From the begin of a cell to that of the next: seconds `beyond` the planned load.

    `new` unless the cell was measured again; `starts` is the next cell where its contender had to
    be started for it.
    """

    beyond: float
    new: bool
    starts: Cell | None


def measured(race: SavedRace, scenario: str) -> Pace | None:
    """What a finished race took; None where it was too short or its record does not tell.

    For its own scenario the sum is right, whatever it is made of: a cell that is measured again, or
    waited for, makes all cells dearer by its share. Others have other limits: for them the usual
    cell counts, which is neither.
    """
    warmup = _warmup(race.head)
    steps = list(_steps(race, warmup)) if warmup else []
    between = [step for step in steps if step.starts is None]
    cells = sum(step.new for step in between)
    if cells < LEAST_CELLS:
        return None
    same = race.head.scenario.get("name") == scenario
    usual = median(step.beyond for step in between if step.new)
    cell_s = max(0.0, sum(step.beyond for step in between) / cells if same else usual)
    opening = _apart(race.head.started_at, race.cells[0].started_at)
    first = [opening] if opening < INTERRUPTED_SECONDS else []
    later: list[float] = []
    for step in steps:
        if step.starts and step.starts.round <= 1:
            first.append(step.beyond - cell_s)
        elif step.starts:  # the first cell of who was started is dropped
            later.append(step.beyond - cell_s - step.starts.load.duration_s)
    start_s = _mean(first, DEFAULT.start_s)
    return Pace(cell_s, start_s, _mean(later, start_s), race.head.race)


def _warmup(head: Head) -> WarmUpPlan | None:
    """None where it is of an older version, whose rounds were others."""
    found = head.scenario.get("warmup") or {}
    try:
        return msgspec.convert(found, WarmUpPlan) if "calibration_s" in found else None
    except msgspec.ValidationError:
        return None


def _steps(race: SavedRace, warmup: WarmUpPlan) -> Iterator[_Step]:
    """Without those of failed cells, and without interruptions."""
    head = race.head
    longest = head.limits.quiet_wait_s + INTERRUPTED_SECONDS
    seen: set[CellKey] = set()
    started: set[tuple[str, int]] = set()
    for cell, after in pairwise(race.cells):
        new = key_of(cell) not in seen
        seen.add(key_of(cell))
        started.add(_life(head, cell))
        planned = driving(warmup, cell.round, cell.load) if new else 0.0
        beyond = _apart(cell.started_at, after.started_at) - planned
        if cell.status != "failed" and beyond < longest:
            yield _Step(beyond, new, None if _life(head, after) in started else after)


def _life(head: Head, cell: Cell) -> tuple[str, int]:
    """Cells with one value of this are of one process, as planned."""
    every = int(head.scenario.get("restart") or 0)
    return cell.label, (cell.round - 1) // every if every and cell.round > 1 else 0


def _apart(one: str, other: str) -> float:
    return (datetime.fromisoformat(other) - datetime.fromisoformat(one)).total_seconds()


def _mean(seconds: Sequence[float], otherwise: float) -> float:
    return max(0.0, fmean(seconds)) if seconds else otherwise
