"""Searches the capacity of several contenders, a life of one after a life of another."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from msgspec.structs import replace

from race.capacity import record
from race.capacity.rate_cell import GENERATOR_BOUND, RateCells
from race.capacity.record import CapacityRun, Ending, RateCell
from race.capacity.search import Ask, Excess, Search
from race.discipline import Start, Subject
from race.errors import CellFailed, Disturbed, RaceError
from race.plan.forecast import Plan
from race.run.quiet import QuietWait
from race.saved.model import Contender, Work

FEWEST_REQUESTS = 200
"""A cell has so many at least: fewer say too little of the slowest 1 %."""
WARM_SECONDS = 1.0
BRACKET_CELLS, LIFE_CELLS = 7, 6
BESIDE_S, START_S = 1.0, 4.0
"""The seconds that a cell, and the start of a process with its warm-up, take beside the load."""


@dataclass
class Hunted:
    """A contender on a task, with its search and what that asks for next; None at its end."""

    contender: Contender
    task: str
    search: Search
    steps: Generator[Ask, Excess, None] | None = None
    ask: Ask | None = None
    longest: float = 0.0


@dataclass
class Hunt:
    """Runs all searches until the time is up; saves each cell. `told` takes each cell."""

    plan: Plan
    folder: Path
    run: CapacityRun
    quiet: QuietWait
    told: Callable[[RateCell], None]
    chance: random.Random = field(init=False)
    cells: RateCells = field(init=False)
    _began: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        """Take the seed of the run."""
        self.chance = random.Random(self.run.head.seed)  # noqa: S311 - no secret
        self.cells = RateCells(self.plan.scenario, self.run.promise, self.run.cell_s)

    def go(self, start: Start) -> None:
        """Search; RaceError if a contender does not start, Disturbed on a busy machine."""
        hunted = [
            Hunted(one, task, Search(1.0, FEWEST_REQUESTS / self.run.cell_s, self.chance))
            for one in self.plan.contenders
            for task in self.run.tasks
        ]
        going = hunted
        while going := [one for one in going if one.steps is None or self._fits(one)]:
            for one in self.chance.sample(going, len(going)):
                began = time.monotonic()
                self._life(one, start)
                one.longest = max(one.longest, time.monotonic() - began)
        self._save(finished=True)

    def _fits(self, one: Hunted) -> bool:
        """Return whether a search goes on and has the time for another life."""
        left = self.run.within_s - (time.monotonic() - self._began)
        return one.ask is not None and one.longest <= left

    def _life(self, one: Hunted, start: Start) -> None:
        """Measure all that is asked for in one life of the process."""
        with self._started(one, start) as warm:
            if one.steps is None:
                one.search.start = max(one.search.least, warm.rate)
                one.steps = one.search.steps()
                one.ask = next(one.steps)
            steps, life = one.steps, one.ask.life if one.ask else 0
            while one.ask and one.ask.life == life:
                if not warm.subject.alive():
                    warm.restart()
                excess = self._cell(one, one.ask, warm.subject)
                try:
                    one.ask = steps.send(excess)
                except StopIteration:
                    one.ask = None
                    self._ended(one)

    @contextmanager
    def _started(self, one: Hunted, start: Start) -> Iterator[Warm]:
        warm = Warm(self.plan, one.contender, one.task, start)
        try:
            warm.restart()
            yield warm
        finally:
            warm.close()

    def _cell(self, one: Hunted, ask: Ask, subject: Subject) -> Excess:
        """Measure a cell, again while the machine disturbs it. Disturbed if it goes on so."""
        rate = float(max(1, round(math.exp(ask.log_rate))))
        planned = RateCell(
            label=one.contender.label,
            task=one.task,
            life=ask.life,
            rate=rate,
            seconds=self.run.cell_s,
        )
        for _ in range(1 + self.plan.scenario.limits.reruns):
            cell = self.cells.run(subject, planned)
            self.run = replace(self.run, cells=[*self.run.cells, cell])
            self._save()
            self.told(cell)
            if cell.excess is not None or cell.reason == GENERATOR_BOUND:
                return cell.excess
            self.quiet.new_round()
            self.quiet.wait()
        raise Disturbed

    def _ended(self, one: Hunted) -> None:
        ending = Ending(
            label=one.contender.label,
            task=one.task,
            outcome=one.search.outcome,
            rate=one.search.bound,
        )
        self.run = replace(self.run, endings=[*self.run.endings, ending])
        self._save()

    def _save(self, finished: bool = False) -> None:
        if finished:
            now = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())
            self.run = replace(self.run, head=replace(self.run.head, finished_at=now))
        record.write(self.folder, self.run)


@dataclass
class Warm:
    """A life of a contender's process: started and warmed up by a closed loop."""

    plan: Plan
    contender: Contender
    task: str
    start: Start
    rate: float = 0.0
    _subject: Subject | None = None

    @property
    def subject(self) -> Subject:
        """The contender, after `restart`."""
        if self._subject is None:
            raise RaceError(f"{self.contender.label} was not started")
        return self._subject

    def restart(self) -> None:
        """End what runs, start anew and warm up. RaceError if it does not start or answer."""
        self.close()
        work = next(one for one in self.plan.works if one.task == self.task)
        try:
            self._subject = self.start(self.contender)
            self._subject.check(self.task)
            load = replace(work.load, pipeline=1, duration_s=WARM_SECONDS)
            self.rate = self._subject.drive(Work(self.task, load)).throughput
        except CellFailed as failure:
            raise RaceError(f"{self.contender.label}: {failure}") from None

    def close(self) -> None:
        """End the process."""
        subject, self._subject = self._subject, None
        if subject is not None:
            subject.close()


def seconds_needed(searches: int, cell_s: float, lives: int) -> float:
    """Return how long it takes until each search has so many lives."""
    cells = BRACKET_CELLS + lives * LIFE_CELLS
    return searches * (cells * (cell_s + BESIDE_S) + (1 + lives) * START_S)
