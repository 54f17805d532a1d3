"""`race gate`: whether a commit made an application slower, for CI."""

from __future__ import annotations

import argparse
import json
import secrets
from pathlib import Path

from race.app.commits import command as commits
from race.app.commits import shared_rate
from race.app.gate import racing
from race.app.gate.judge import Gate, Limits, Outcome, gate
from race.app.gate.racing import fitting, raced, with_rounds
from race.commands import Command
from race.commands.options import changed, exact, percent, scenario_options, span
from race.commands.output import report, write
from race.commands.run import scenario
from race.console import Console
from race.errors import RaceError
from race.plan import read
from race.plan.forecast import Plan
from race.report.format import plural
from race.run import race
from race.terminal.say import tell

STATUS = {Outcome.CLEAR: 0, Outcome.SLOWER: 1, Outcome.FAILS: 1, Outcome.OPEN: 3}
WITHIN_S = 600.0


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the revisions, the limit and the time."""
    parser.epilog = (
        "Exit status: 0 when no request is slower by so much and that would have been seen, 1 when "
        "one is slower or fails, 3 when this machine cannot tell within the time, 2 for wrong use "
        "and wrong answers. Of equal commits at most 5 % end with 1, over all requests and "
        "measures together."
    )
    commits.revisions(parser)
    text = "the slowdown that must not be; default 5%%"
    parser.add_argument("--slower", type=percent, default=percent("5%"), metavar="5%", help=text)
    text = "the increase of p99 that must not be; without it p99 may stay open"
    parser.add_argument("--p99", type=percent, metavar="25%", help=text)
    text = "the time for the race; default 10m"
    parser.add_argument("--within", type=span, default=WITHIN_S, metavar="10m", help=text)
    parser.add_argument("--seed", type=int, metavar="S", help="seed of the random order")
    for form in ("markdown", "junit"):
        parser.add_argument(f"--{form}", type=Path, metavar="FILE", help=f"write {form} there")
    scenario_options(parser)


def run(options: argparse.Namespace) -> int:
    """Race the two commits for a number of rounds that is fixed before, and judge once."""
    with race.interruptible():
        seed = secrets.randbelow(2**31) if options.seed is None else options.seed
        words = [*typed(options), "--seed", str(seed)]
        plan = planned(options)
        tell(Console(stderr=True), f"{plan.scenario.rounds} rounds")
        analysis = raced(plan, options.results, words, seed)
        old, new = (one.label for one in plan.contenders if not one.aa)
        found = gate(analysis, old, new, Limits(options.slower, options.p99))
        tell(Console(stderr=True), f"report: {report(analysis)}")
    return answered(found, options)


def typed(options: argparse.Namespace) -> list[str]:
    """Return the command as it is typed, without the seed; call it before `planned`."""
    words = [*commits.typed("gate", options), "--slower", f"{exact(100 * options.slower)}%"]
    words += ["--p99", f"{exact(100 * options.p99)}%"] if options.p99 is not None else []
    return [*words, "--within", f"{exact(options.within)}s"]


def planned(options: argparse.Namespace) -> Plan:
    """Return the plan with as many rounds as fit the time. RaceError if those are too few."""
    commits.complete(options)
    plan = race.prepare(changed(scenario(options), options))
    labels = [one.label for one in plan.contenders if not one.aa]
    if len(labels) != 2:
        raise RaceError(f"a gate has two contenders, and here are {len(labels)}: choose --servers")
    plan = _with_p99(plan, options)
    rounds, least = fitting(plan, options.within), racing.least(plan)
    if rounds < least:
        checks = plural(racing.checks(plan), "measure")
        raise RaceError(
            f"{options.within:g} s are too short: {least} rounds are needed for {checks}, "
            f"and {rounds} fit; ask for fewer (--requests) or give more time (--within)"
        )
    return with_rounds(plan, options.rounds or rounds)


def _with_p99(plan: Plan, options: argparse.Namespace) -> Plan:
    """Return the plan with cells at one shared rate, where there are a generator and time for them.
    RaceError if there are not, and a limit of p99 was given.
    """
    more, without = shared_rate.settings(plan.scenario, options.set)
    wider = plan
    if more:
        wider = race.prepare(read.change(plan.scenario, {key: value for key, value, _ in more}))
        if not options.rounds and fitting(wider, options.within) < racing.least(wider):
            without = f"p99 is left out: {options.within:g} s are too short for it"
    if without and options.p99 is not None:
        raise RaceError(without)
    if without:
        tell(Console(stderr=True), without)
    return plan if without else wider


def answered(found: Gate, options: argparse.Namespace) -> int:
    """Print and write the answer; return the exit status."""
    from race.app.gate import answer as answers

    for path, form in ((options.markdown, answers.markdown), (options.junit, answers.junit)):
        if path:
            write(path, form(found))
    if options.json:
        print(json.dumps(found.as_json()))
    else:
        answers.show(found)
    return STATUS[found.outcome]


COMMAND = Command("whether a commit made an application slower", arguments, run)
