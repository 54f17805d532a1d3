"""`race bisect`: name the commit from which on an application is slower."""

from __future__ import annotations

import argparse
import json
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from race.analysis.model import Analysis
from race.app.commits import checkouts
from race.app.commits.command import APPLICATIONS, FILE
from race.app.commits.search import Found, Halves, Skipped, search
from race.app.gate import answer, racing
from race.app.gate.judge import Checked, Gate, Limits, Outcome, gate
from race.commands import NO_RESULT, Command
from race.commands.options import as_words, changed, exact, percent, scenario_options, span
from race.commands.output import report
from race.commands.run import scenario
from race.console import Console
from race.discipline import discipline
from race.errors import RaceError
from race.plan import read
from race.plan.forecast import Plan
from race.run import race
from race.scenario import Scenario
from race.terminal.say import tell

WITHIN_S = 3600.0
CLOSED_ALONE: dict[str, list[float]] = {
    f"load.{name}": [] for name in ("rates", "rates_of_slowest", "rates_of_own")
}
ROUNDS = 6
"""The rounds of a candidate's first race; each further one has twice as many."""
SHORT = 12
MOST = 24
"""The most rounds of the first race and of the last one."""
SHARE = 0.25
"""The share of the time that the first race takes at most, and the last one."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the revisions, the limit, the request and the time."""
    parser.epilog = (
        "Exit status: 0 when a commit is named, 3 when none can be named, 2 for wrong use. Merged "
        "branches count as the commit that merged them."
    )
    parser.add_argument("good", metavar="GOOD", help="a revision that is not slower")
    parser.add_argument("bad", metavar="BAD", help="a later one that is")
    parser.add_argument("--file", default=FILE, metavar="FILE", help="default %(default)s")
    text = "how much slower BAD must be; default 5%%"
    parser.add_argument("--slower", type=percent, default=percent("5%"), metavar="5%", help=text)
    text = "the request to race; default: the one that became slower most"
    parser.add_argument("--request", metavar="NAME", help=text)
    text = "the time for all races; default 1h"
    parser.add_argument("--within", type=span, default=WITHIN_S, metavar="1h", help=text)
    scenario_options(parser)


def run(options: argparse.Namespace) -> int:
    """Search, and print what was found."""
    if not Path(options.file).exists():
        raise RaceError(f"there is no {options.file}: `race init` writes one")
    with race.interruptible():
        found = Bisection.begun(options).result()
    if options.json:
        print(json.dumps(found.as_json()))
    else:
        tell(Console(), found.text)
    return 0 if found.commit else NO_RESULT


@dataclass(frozen=True, slots=True)
class Result:
    """The named commit, or None, and the text that says why."""

    text: str
    commit: str | None = None
    left: Sequence[str] = ()

    def as_json(self) -> dict[str, object]:
        """Return plain JSON; `left` are the commits of which one may be it."""
        return {"commit": self.commit, "left": list(self.left), "text": self.text}


class OutOfTime(Exception):
    """The next race would not end in time."""


@dataclass
class Bisection:
    """Races of the commits from GOOD to BAD, which are `commits`, within a time."""

    scenario: Scenario
    folder: Path
    commits: list[str]
    limit: float
    within: float
    results: Path
    typed: list[str]
    ends: float

    @classmethod
    def begun(cls, options: argparse.Namespace) -> Bisection:
        """Read the scenario and list the commits. RaceError where GOOD is no part of BAD."""
        words = typed(options)
        options.scenario = options.file
        if options.request:
            options.tasks = [options.request]
        folder = Path(options.file).resolve().parent
        return cls(
            scenario=read.change(changed(scenario(options), options), CLOSED_ALONE),
            folder=folder,
            commits=chain(folder, options.good, options.bad),
            limit=options.slower,
            within=options.within,
            results=options.results,
            typed=words,
            ends=time.monotonic() + options.within,
        )

    def result(self) -> Result:
        """Race both ends, search between them, and race what was found against its parent."""
        ends = self.commits[0], self.commits[-1]
        both = self._longest(ends)
        if both.outcome is not Outcome.SLOWER:
            return Result(f"No commit can be named. {answer.headline(both)}")
        slowest = both.of(Outcome.SLOWER)[0].task
        self._tell(f"{answer.headline(both)} Going on with {slowest}.")
        titles = discipline(self.scenario.discipline).tasks(self.scenario)
        task = next(name for name, one in titles.items() if one.title == slowest)
        try:
            return self._confirmed(search(self.commits, partial(self._halves, task)), task)
        except OutOfTime as time_is_up:
            return Result(f"No commit can be named: {time_is_up}")

    def _halves(self, task: str, old: str, candidate: str, new: str, number: int) -> Halves:
        """Race a candidate between two ends. `Skipped` where it cannot be raced."""
        inner = self.commits.index(new) - self.commits.index(old) - 1
        one = f"one of {inner} commits" if inner > 1 else "the commit"
        self._tell(f"{self._said(candidate)}: {one} between {old} and {new}")
        plan = self._plan((old, candidate, new), task, ROUNDS * 2**number)
        if plan.seconds() > self.ends - time.monotonic() - SHARE * self.within:
            last = f"one of {inner + 1} commits after {old}, up to {new}"
            raise OutOfTime(f"no time is left for a race of {candidate}. It is {last}.")
        try:
            analysis = self._raced(plan)
        except RaceError as error:
            self._tell(f"skipped: {error}")
            raise Skipped(str(error)) from None
        pairs = [self._gate(analysis, plan, *pair) for pair in ((0, 1), (1, 2))]
        if pairs[0].outcome is Outcome.FAILS:
            raise Skipped(answer.headline(pairs[0]))
        return Halves(*(pair.checks[0].slowdown for pair in pairs))

    def _confirmed(self, found: Found, task: str) -> Result:
        """Return what a search found, once a race has shown it."""
        left = found.left[1:]
        if found.undecided or not found.named:
            why = "the others could not be raced"
            if found.undecided:
                why = f"on which side of it {found.undecided} is, could not be told"
            span = f"one of {len(left)} commits after {found.left[0]}, up to {found.left[-1]}"
            return Result(f"No commit can be named: it is {span}; {why}.", None, left)
        confirmed = self._longest((found.left[0], found.named), task)
        check, said = confirmed.checks[0], self._said(found.named)
        if not (check.slowdown and check.slowdown.low > 0):
            text = f"No commit can be named: the search led to {said}, and {_but(check)}."
            return Result(text, None, left)
        others = " Other commits made it slower, too." if found.several else ""
        text = f"{said} made {check.task} slower: {answer.text(check)} against {found.left[0]}."
        return Result(text + others, found.named, left)

    def _longest(self, ends: tuple[str, str], task: str = "") -> Gate:
        """Race two commits for as many rounds as their share of the time holds."""
        plan = self._plan(ends, task)
        rounds = min(MOST, racing.fitting(plan, SHARE * self.within))
        if rounds < racing.least(plan):
            raise RaceError(f"{self.within:g} s are too short: give more time (--within)")
        plan = racing.with_rounds(plan, rounds)
        analysis = self._raced(plan)
        self._tell(f"report: {report(analysis)}")
        return self._gate(analysis, plan, 0, 1)

    def _raced(self, plan: Plan) -> Analysis:
        return racing.raced(plan, self.results, self.typed, secrets.randbelow(2**31))

    def _plan(self, commits: Sequence[str], task: str, rounds: int = ROUNDS) -> Plan:
        """Return the plan of a race of commits, one contender each."""
        wanted = {"commits": list(commits), "rounds": rounds, "title": " and ".join(commits)}
        tasks = {"tasks": [task]} if task else {}
        plan = race.prepare(read.change(self.scenario, {**wanted, **tasks}))
        if sum(not one.aa for one in plan.contenders) != len(commits):
            raise RaceError("a bisection has one server for each commit: choose --servers")
        return plan

    def _gate(self, analysis: Analysis, plan: Plan, old: int, new: int) -> Gate:
        labels = [one.label for one in plan.contenders if not one.aa]
        return gate(analysis, labels[old], labels[new], Limits(self.limit))

    def _said(self, commit: str) -> str:
        return checkouts.git(
            self.folder, "log", "-1", "--format=%h (%s)", f"--abbrev={SHORT}", commit
        )

    def _tell(self, text: str) -> None:
        tell(Console(stderr=True), text)


def typed(options: argparse.Namespace) -> list[str]:
    """Return the command as it is typed."""
    words = ["bisect", options.good, options.bad, "--file", options.file]
    words += as_words(options, APPLICATIONS)
    words += ["--request", options.request] if options.request else []
    slower, within = exact(100 * options.slower), exact(options.within)
    return [*words, "--slower", f"{slower}%", "--within", f"{within}s"]


def _but(check: Checked) -> str:
    return f"it is not shown to be slower than its parent: {answer.text(check)}"


def chain(folder: Path, good: str, bad: str) -> list[str]:
    """Return the commits from one to another, short, each the first parent of the next. RaceError
    if the first is no part of the other.
    """
    (old,) = checkouts.resolved(folder, [good]).values()
    (new,) = checkouts.resolved(folder, [bad]).values()
    if old == new or checkouts.merge_base(folder, old, new) != old:
        raise RaceError(f"{good} does not come before {bad}: name the older revision first")
    listed = checkouts.git(folder, "rev-list", "--reverse", "--first-parent", f"{old}..{new}")
    return [one[:SHORT] for one in (old, *listed.split())]


COMMAND = Command("name the commit from which on an application is slower", arguments, run)
