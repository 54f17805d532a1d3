"""Prepares, runs and resumes a race, and ends all that it started whatever happens."""

from __future__ import annotations

import itertools
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import FrameType

import msgspec

from race.discipline import Discipline, discipline
from race.errors import RaceError
from race.machine import calibrate, calm, cores, describe, guard
from race.machine.meters import meters
from race.plan.contenders import TWIN_MARK, baseline, labelled, with_twins
from race.plan.forecast import Plan
from race.plan.order import key_of
from race.plan.read import from_json
from race.run.cell import Cells
from race.run.learned import Learned
from race.run.quiet import QuietWait
from race.run.rounds import Rounds
from race.saved import model
from race.saved.head import Environment, Head
from race.saved.reader import load
from race.saved.writer import Writer
from race.scenario import Scenario
from race.terminal.board import Boards
from runtime.paths import INSTALLED, extra
from runtime.versions import minor


def prepare(scenario: Scenario) -> Plan:
    """Return the plan of what can run here; raises RaceError when nothing can."""
    kind = discipline(scenario.discipline)
    choice = kind.choose(scenario)
    found = labelled(choice.scenario, choice.contenders, kind.contender)
    contenders = with_twins(choice.scenario, found)
    if not contenders:
        raise RaceError(f"no {kind.contender} of this race can run here: {_why(choice.left_out)}")
    return Plan(kind, choice.scenario, contenders, choice.left_out, choice.cannot, choice.machines)


def _why(left_out: Sequence[str]) -> str:
    """Return why nothing can run; of a wheel without an extra, the command that installs it."""
    reasons = "; ".join(left_out)
    commands = [extra(name) for name in ("site", "toolbench")] if INSTALLED else []
    return next((f"run {command}" for command in commands if command in reasons), reasons)


def alike(plan: Plan, head: Head) -> Plan:
    """Return the plan with the contenders of another race; RaceError where one cannot run here."""
    here = {one.label for one in plan.contenders}
    there = [one.label for one in head.contenders]
    if gone := [label for label in there if label not in here]:
        why = f": {'; '.join(plan.left_out)}" if plan.left_out else ""
        raise RaceError(f"{head.race} raced {gone[0]}, which cannot run here{why}")
    return replace(plan, contenders=[one for one in plan.contenders if one.label in there])


def new_head(
    plan: Plan,
    seed: int,
    command: Sequence[str],
    results: Path,
    connections: Mapping[str, int] | None = None,
) -> Head:
    """Return the record of a new race, with the `connections` that another one found, if any; its
    name is free in the results folder.
    """
    now = datetime.now(UTC)
    stem = f"{now.astimezone():%Y%m%d-%H%M%S}-{plan.scenario.name}"
    layout = layout_of(plan)
    seen = describe.describe(plan.contenders, layout, plan.discipline.versions())
    return Head(
        race=next(name for name in _numbered(stem) if not (results / name).exists()),
        discipline=described(plan.scenario, plan.discipline),
        scenario=plan.scenario.as_json(),
        limits=plan.scenario.limits,
        seed=seed,
        started_at=now.isoformat(timespec="seconds"),
        command=list(command),
        environment=_with_machines(seen, plan),
        contenders=list(plan.contenders),
        baseline=baseline(plan.scenario, plan.contenders),
        idle=calibrate.idle(layout),
        left_out=list(plan.left_out),
        unsupported={label: dict(lacks) for label, lacks in plan.cannot.items()},
        connections=dict(connections or {}),
    )


def described(scenario: Scenario, kind: Discipline) -> model.Discipline:
    """Return what a report must know of a discipline in a scenario."""
    tasks, texts = kind.tasks(scenario), kind.level_texts(scenario)
    return model.Discipline(
        name=scenario.discipline,
        unit=kind.unit,
        contender=kind.contender,
        task=kind.task,
        parties=list(kind.parties),
        factors={factor: list(levels) for factor, levels in kind.factors(scenario).items()},
        tasks={task: one.title for task, one in tasks.items()},
        headline=kind.headline(scenario),
        meters={name: meter.unit for name, meter in meters().items()},
        ignores={task: list(one.ignores) for task, one in tasks.items() if one.ignores},
        task_texts={name: task.text for name, task in tasks.items() if task.text},
        level_texts={factor: dict(known) for factor, known in texts.items()},
    )


def run(folder: Path, head: Head, plan: Plan, boards: Boards) -> None:
    """Run what is left of a race; when interrupted, end all children."""
    layout = layout_of(plan)
    quiet = QuietWait(plan.scenario.limits, partial(calm.burn, layout))
    learned = Learned(head.connections)
    with (
        plan.discipline.open(plan.scenario, plan.contenders) as start,  # or there is no folder
        Writer(folder, head) as writer,
    ):
        saved = load(folder).cells  # all that there will ever be of others
        done = {key_of(cell): cell for cell in saved}
        tries = Counter(key_of(cell) for cell in saved)
        learned.remember(saved)
        with cores.kept_off(layout), boards(plan, writer, done) as board:
            cells = Cells(plan.scenario, learned)
            Rounds(plan, start, cells, writer, board, quiet, done, tries).run()


def resumed(folder: Path, allow: Callable[[Scenario], None]) -> tuple[Head, Plan]:
    """Return a saved race that is not finished and its plan, with the contenders it began with.

    The folder may come from another machine. `allow` raises RaceError if the programs that it names
    must not run, and contenders are those of this machine, whatever the folder says of them.
    """
    head = load(folder).head
    if head.finished_at:
        raise RaceError(f"{head.race} is finished: see it with `race report {head.race}`")
    scenario = from_json(head.scenario)
    allow(scenario)
    kind = discipline(scenario.discipline)
    choice = kind.choose(scenario)
    runnable = {one.label for one in choice.contenders}
    labels = [one.label.removesuffix(TWIN_MARK) for one in head.contenders]
    gone = [label for label in labels if label not in runnable]
    if gone:
        raise RaceError(f"{head.race} cannot go on: {gone[0]} cannot run here any more")
    here = with_twins(choice.scenario, choice.contenders)
    for one in head.contenders:
        if one not in here:
            raise RaceError(f"{head.race} cannot go on: {one.label} is another contender here")
    return head, Plan(kind, scenario, head.contenders, [], choice.cannot, choice.machines)


@contextmanager
def interruptible() -> Iterator[None]:
    """Turn Ctrl-C, SIGTERM and a closed terminal (unless under nohup) into one KeyboardInterrupt.

    Later signals are ignored, so that they do not disturb the cleaning up.
    """
    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        numbers.append(signal.SIGHUP)

    def interrupt(number: int, frame: FrameType | None) -> None:
        for each in numbers:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt

    guard.up()
    before = {each: signal.signal(each, interrupt) for each in numbers}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def layout_of(plan: Plan) -> cores.Layout:
    """Return the cores, of this machine, of the contender that runs the most processes."""
    workers = max((int(one.factors.get(cores.WORKERS, "1")) for one in plan.contenders), default=1)
    here = [name for name in plan.discipline.parties if name not in plan.machines]
    workers = workers if here[:1] == list(plan.discipline.parties[:1]) else 1
    return cores.assign(here, workers, sharing=plan.scenario.cores)


def _with_machines(seen: Environment, plan: Plan) -> Environment:
    """Return what was seen here with other machines; one may have the contenders' interpreter."""
    machines, ours = dict(plan.machines), seen.interpreters
    if far := machines.get(plan.discipline.parties[0]):
        version = minor(far.interpreter.python) if far.interpreter else ""
        theirs = [one for one in plan.contenders if one.factors.get(describe.PYTHON) == version]
        ours = {one.label: far.interpreter for one in theirs if far.interpreter}
    return msgspec.structs.replace(seen, machines=machines, interpreters=ours)


def _numbered(stem: str) -> Iterator[str]:
    yield stem
    for number in itertools.count(2):
        yield f"{stem}-{number}"
