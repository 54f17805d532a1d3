"""One race from the command line: set the stage, run, tidy up whatever happens, report."""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

from rich.console import Console

from race.errors import RaceError
from race.machine import cores
from race.machine import describe as environment
from race.machine.cores import Cores
from race.plan import order as plan
from race.plan.scenario import Scenario, from_json
from race.run.arena import Arena
from race.run.rounds import Runner
from race.saved import reader as results
from race.saved.model import Cell, Contender, Head
from race.saved.writer import Recorder
from race.terminal.board import Board, Plain
from race.web import engines
from race.web.databases import Databases
from race.web.load import generator


@dataclass(frozen=True)
class Stage:
    """A race that can start: who runs, who is left out and why, and what it will take."""

    scenario: Scenario
    contenders: list[Contender]
    notes: list[str]

    @property
    def works(self) -> list[plan.Work]:
        """The closed-loop cells of each contender."""
        return plan.closed_works(self.scenario)

    @property
    def cells(self) -> int:
        """How many cells the planned rounds have; open-loop ones are a forecast."""
        closed = len(self.works)
        if not plan.has_open_loop(self.scenario):
            return 2 * len(self.contenders) * self.scenario.rounds * closed
        return 2 * len(self.contenders) * (closed + self.scenario.rounds * self._open_cells())

    def seconds(self) -> float:
        """A forecast of the planned rounds."""
        scenario, each = self.scenario, 2 * len(self.contenders)
        block = plan.block_seconds(scenario, self.works)
        if not plan.has_open_loop(scenario):
            return each * scenario.rounds * block
        cell = scenario.load.open_duration_s + scenario.warmup.window_s * 2.5 + plan.CELL_SECONDS
        rounds = scenario.rounds * (plan.BLOCK_SECONDS + cell * self._open_cells())
        return each * (block + rounds)

    def _open_cells(self) -> int:
        load = self.scenario.load
        rates = len(load.rates) + len(load.rates_of_slowest) + len(load.rates_of_own)
        return rates * len(self.scenario.pages)


def prepare(scenario: Scenario) -> Stage:
    """Find out what can run here; RaceError when nothing can."""
    choice = engines.choose(scenario)
    notes = [f"left out: {one.engine}: {one.problem}" for one in choice.left_out]
    missing = generator(scenario.load.generator).missing()
    if missing:
        raise RaceError(missing)
    if plan.has_open_loop(scenario) and (
        missing := generator(scenario.load.open_generator).missing()
    ):
        notes.append(f"left out: fixed rates: {missing}")
        load = replace(scenario.load, rates=(), rates_of_own=(), rates_of_slowest=())
        scenario = replace(scenario, load=load)
    contenders = plan.contenders(scenario, choice.runs)
    if not contenders:
        raise RaceError("no engine of this race can run here: " + "; ".join(notes))
    return Stage(scenario, contenders, notes)


def new_head(stage: Stage, seed: int, command: Sequence[str], results_folder: Path) -> Head:
    """The record of a new race; its id is free in the results folder."""
    now = datetime.now(UTC)
    stem = f"{now.astimezone():%Y%m%d-%H%M%S}-{stage.scenario.name}"
    run = next(name for name in _numbered(stem) if not (results_folder / name).exists())
    return Head(
        run=run,
        scenario=stage.scenario.as_json(),
        seed=seed,
        started_at=now.isoformat(timespec="seconds"),
        finished_at=None,
        command=list(command),
        environment=environment.describe(stage.contenders, cores.assign()),
        contenders=stage.contenders,
        baseline=plan.baseline(stage.scenario, stage.contenders),
    )


def run(folder: Path, head: Head, stage: Stage, console: Console) -> None:
    """Run what is left of a race; when interrupted, with all children ended."""
    saved = results.load(folder) if (folder / results.RUN_FILE).exists() else None
    done = {plan.key_of(cell): cell for cell in saved.cells} if saved else {}
    databases = Databases()
    arena = Arena(stage.scenario, cores.assign(), databases)
    arena.remember(done.values())
    with Recorder(folder, head) as recorder:
        names = {engines.database_of(stage.scenario, one.engine) for one in stage.contenders}
        try:
            databases.hold(name for name in names if name)
            with _own_cores(arena.cores):
                board = _board(console, stage, recorder, done)
                try:
                    Runner(arena, recorder, board, stage.contenders, done).run()
                finally:
                    board.close()
        finally:
            databases.release()


def resumed(folder: Path) -> tuple[Head, Stage]:
    """A saved race that is not finished, with the contenders it began with."""
    head = results.load(folder).head
    if head.finished_at:
        raise RaceError(f"{head.run} is finished: see it with `race report {head.run}`")
    scenario = from_json(head.scenario)
    runnable = {one.engine for one in engines.choose(scenario).runs}
    gone = [one.engine for one in head.contenders if one.engine not in runnable]
    if gone:
        raise RaceError(f"{head.run} cannot go on: {gone[0]} cannot run here any more")
    return head, Stage(scenario, head.contenders, [])


@contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C and SIGTERM raise KeyboardInterrupt once; more do not disturb the tidying up."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = {each: signal.signal(each, interrupt) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _board(console: Console, stage: Stage, recorder: Recorder, done: dict[plan.Key, Cell]) -> Board:
    cells = max(1, stage.cells - len(done))
    each_round = stage.cells // stage.scenario.rounds
    if not console.is_terminal:
        return Plain(console, cells, each_round)
    from race.terminal.live import Live

    def saved() -> results.Run:
        return results.Run(recorder.folder, recorder.head, list(done.values()), [])

    forecast = stage.seconds() * cells / max(1, stage.cells)
    return Live(console, stage.scenario.title, cells, each_round, forecast, saved)


@contextmanager
def _own_cores(layout: Cores) -> Iterator[None]:
    """Keep the harness itself off the server's core, and off the generator's where it can be."""
    before = os.sched_getaffinity(0)
    mine = (before - layout.server - layout.generator) or (before - layout.server)
    if layout.pinned and mine:
        os.sched_setaffinity(0, mine)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _numbered(stem: str) -> Iterator[str]:
    yield stem
    for number in itertools.count(2):
        yield f"{stem}-{number}"
