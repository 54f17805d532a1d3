"""`race why`: which functions make one contender of a saved race slower than another."""

from __future__ import annotations

import argparse
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from race.analysis.analyse import analyse
from race.analysis.model import Analysis
from race.commands import Command
from race.commands.find import LATEST, SAVED_RACE, find, published
from race.commands.output import answer, forms, report
from race.console import Console
from race.errors import RaceError, unknown
from race.plan.read import from_json
from race.report import format as words
from race.run import race
from race.run.learned import calibrated, connection_key
from race.saved.model import Work
from race.saved.reader import SavedRace, load
from race.scenario import Scenario
from race.terminal import programs
from race.terminal.say import say
from race.why import record
from race.why.differences import explanation
from race.why.explain import FEWEST_ROUNDS, ROUNDS, SECONDS, Explain
from race.why.record import Profile, ProfileCell
from runtime.arguments import whole_number

MOST_ROUNDS = 60


class Asked(NamedTuple):
    """What is asked for: two labels or none, a task or none, rounds, a seed or none."""

    labels: Sequence[str] = ()
    task: str | None = None
    rounds: int = ROUNDS
    seed: int | None = None


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the run, the two contenders and the task."""
    parser.epilog = (
        "Runs further cells under the load of the race, in which py-spy samples both contenders, "
        "or strace counts the system calls of programs that are not CPython. Saves them beside "
        "the race and adds them to its report. Nothing that is measured is profiled."
    )
    text = f"{SAVED_RACE}; default {LATEST}"
    parser.add_argument("race", metavar="RUN", nargs="?", default=LATEST, help=text)
    text = "the two to compare, where more than two raced; the one to compare with first"
    parser.add_argument("labels", nargs="*", metavar="CONTENDER", help=text)
    text = "the page or request; default: where the two differ most"
    parser.add_argument("--task", metavar="NAME", help=text)
    parser.add_argument(
        "--rounds",
        type=whole_number("number of rounds", FEWEST_ROUNDS, MOST_ROUNDS),
        default=ROUNDS,
        metavar="N",
        help="cells of each contender, each in a new process; default %(default)s",
    )
    parser.add_argument("--seed", type=int, metavar="S", help="seed of the random order")
    forms(parser)
    programs.option(parser)


def run(options: argparse.Namespace) -> int:
    """Profile the two contenders, and show what they differ in."""
    asked = Asked(options.labels, options.task, options.rounds, options.seed)
    with race.interruptible():
        saved = load(find(options.results, options.race))
        found = explained(saved, asked, programs.permission(options))
    _answer(found, words.one(saved.head.discipline.unit), options)
    return 0


def after(folder: Path, as_json: bool) -> None:
    """Profile the contenders of a race that has just run, and print what they differ in."""
    from race.why import answer as why

    saved = load(folder)
    found = explanation(explained(saved, Asked(), lambda scenario: None))
    if not as_json:
        why.show(found, words.one(saved.head.discipline.unit))


def explained(saved: SavedRace, asked: Asked, allow: Callable[[Scenario], None]) -> Profile:
    """Profile two contenders of a race, save that beside it, and write its report anew.

    RaceError if that is not possible, or if `allow` raises it for what the race ran.
    """
    if place := published(saved.folder):
        raise RaceError(f"{place} is a published run, which nothing is written into: copy it first")
    analysis = analyse(saved)
    labels = _pair(saved, asked.labels)
    work = _work(analysis, labels, asked.task)
    scenario = from_json(saved.head.scenario)
    allow(scenario)
    plan = race.alike(race.prepare(scenario), saved.head)
    contenders = [one for label in labels for one in plan.contenders if one.label == label]
    seed = secrets.randbelow(2**31) if asked.seed is None else asked.seed
    console = Console(stderr=True)
    runner = Explain(
        plan,
        contenders,
        work,
        seed,
        told=lambda cell: say(console, line(cell)),
        said=lambda text: say(console, text),
    )
    found = runner.run(saved.head.race, asked.rounds)
    record.write(saved.folder, found)
    say(console, f"report:  {report(analyse(load(saved.folder)))}")
    return found


def line(cell: ProfileCell) -> str:
    """Return a cell in one line."""
    seen = f"{cell.samples:,} samples"
    if cell.calls:
        seen = f"{words.number(sum(cell.calls.values()))} system calls"
    return f"{cell.label}: {words.number(cell.cpu_us)} us, {seen}"


def _pair(saved: SavedRace, named: Sequence[str]) -> list[str]:
    """Return two labels: the named ones, or the only ones, the baseline first."""
    known = [one.label for one in saved.head.contenders if not one.aa]
    if wrong := [name for name in named if name not in known]:
        raise unknown(saved.head.discipline.contender, wrong[0], known)
    if len(set(named)) == 2:
        return list(named)
    if named or len(known) != 2:
        raise RaceError(f"name two of {', '.join(known)}")
    return sorted(known, key=lambda label: label != saved.head.baseline)


def _work(analysis: Analysis, labels: Sequence[str], task: str | None) -> Work:
    """Return the work on which to look at them, with the connections that the race found."""
    found = [
        (abs(second.ratio.value) if second.ratio else 0.0, one.work)
        for one in analysis.closed()
        if (second := one.result(labels[1])) and one.work.load.pipeline == 1
        if task in (None, one.work.task)
    ]
    if not found:
        tasks = {one.work.task for one in analysis.closed()}
        if task:
            raise unknown(analysis.discipline.task, task, tasks)
        raise RaceError("the race has nothing that both did in a closed loop")
    _, work = max(found, key=lambda pair: pair[0])
    connections = calibrated(analysis.race.cells).get(connection_key(work))
    load = replace(work.load, duration_s=SECONDS, connections=connections or work.load.connections)
    return Work(work.task, load)


def _answer(found: Profile, unit: str, options: argparse.Namespace) -> None:
    from race.why import answer as why

    said = explanation(found)
    answer(
        options,
        said.as_json,
        lambda: why.markdown(said, unit),
        lambda: why.show(said, unit),
    )


COMMAND = Command("which functions or system calls make a contender slower", arguments, run)
