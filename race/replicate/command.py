"""`race replicate`: tries a published ratio on this machine."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from msgspec import to_builtins

from race import console
from race.commands import FAILED, NO_RESULT, Command
from race.commands.output import write
from race.console import Console
from race.errors import RaceError
from race.replicate import predictions, record
from race.replicate.judge import problems
from race.replicate.predictions import ROUNDS, Claim, Limits
from race.replicate.record import FAILS, HOLDS, OPEN, Replication
from race.run import race
from race.stats.signed_rank import rounds_needed
from race.terminal.say import say, tell
from runtime.arguments import whole_number

STATUS = {HOLDS: 0, FAILS: FAILED, OPEN: NO_RESULT}
FILE = "replication.json"
MOST_ROUNDS = 60


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the claim, or what is done without one, and the file."""
    parser.epilog = (
        "Races the pair of the claim beside an A/A twin and a planted slowdown of 10 %, in three "
        "to ten minutes. Exit status: 0 when the claim holds here, 1 when it does not, 3 when "
        "this machine cannot tell, 2 for wrong use. docs/results/README.md says how to "
        "publish the file that it writes."
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("claim", nargs="?", metavar="CLAIM", help="an id that --list prints")
    what.add_argument("--list", action="store_true", help="print the claims with their predictions")
    text = "check files that `race replicate` wrote; exit status 1 if one is wrong"
    what.add_argument("--check", type=Path, nargs="+", metavar="FILE", help=text)
    text = f"where to write the replication; default {FILE} in the folder of the race"
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=text)
    rounds = whole_number("number of rounds", rounds_needed(), MOST_ROUNDS)
    text = "rounds of the race; default %(default)s"
    parser.add_argument("--rounds", type=rounds, default=ROUNDS, metavar="N", help=text)
    parser.add_argument("--seed", type=int, metavar="S", help="seed of the random order")


def run(options: argparse.Namespace) -> int:
    """List claims, check files, or replicate a claim."""
    if options.check:
        return _check(options.check, options.json)
    if options.list:
        return _list(options.json)
    return _replicate(predictions.find(options.claim), options)


def _list(as_json: bool) -> int:
    """Print the claims, with the reason where one cannot be tried here."""
    known = predictions.read()
    if as_json:
        console.write(json.dumps([to_builtins(one) for one in known.values()]))
        return 0
    for claim in known.values():
        say(Console(), f"{claim.id:16}{_limits(claim.predicted):14}{claim.question}")
        if reason := _missing(claim):
            tell(Console(), f"{'':30}cannot say here: {reason}")
    return 0


def _missing(claim: Claim) -> str:
    from race.replicate.racing import plan

    try:
        plan(claim)
    except RaceError as error:
        return str(error)
    return ""


def _check(paths: Sequence[Path], as_json: bool) -> int:
    known = predictions.read()
    found = {str(path): _wrong(path, known) for path in paths}
    if as_json:
        console.write(json.dumps(found))
    else:
        for path, wrong in found.items():
            console.write("\n".join([f"{path}: {text}" for text in wrong] or [f"{path}: good"]))
    return FAILED if any(found.values()) else 0


def _wrong(path: Path, claims: dict[str, Claim]) -> list[str]:
    """Return what is wrong with a file of a replication."""
    try:
        return list(problems(record.read(path), claims))
    except RaceError as error:
        return [str(error).removeprefix(f"{path}: ")]


def _replicate(claim: Claim, options: argparse.Namespace) -> int:
    from race.replicate import racing

    progress = Console(stderr=True)
    with race.interruptible():
        try:
            made = racing.plan(claim, options.rounds)
        except RaceError as error:
            return _cannot(claim, str(error), options.json)
        tell(progress, f"{claim.question} About {made.seconds() / 60:.0f} minutes.")
        folder = racing.raced(made, claim, options.results, options.seed)
        found = racing.summed_up(folder, claim)
    path = options.output or folder / FILE
    write(path, found.text())
    if options.json:
        console.write(found.text(), end="")
    else:
        show(found, claim)
    say(progress, f"written: {path}")
    return STATUS[found.outcome]


def _cannot(claim: Claim, reason: str, as_json: bool) -> int:
    if as_json:
        console.write(json.dumps({"claim": claim.id, "outcome": OPEN, "reason": reason}))
    else:
        console.write(f"cannot say here: {reason}")
    return NO_RESULT


def show(found: Replication, claim: Claim) -> None:
    """Print a replication to the terminal."""
    why = f": {found.reason}" if found.reason else ""
    yours, expected = found.ratio or "no interval", _limits(claim.predicted)
    say(Console(), f"yours: {yours}; predicted {expected}: {found.outcome}{why}")
    seen = [
        f"{label} {one.rate:,.0f}/s, saturated: {one.saturated or 'not known'}"
        for label, one in found.contenders.items()
    ]
    lines = [f"A/A: {found.twin}", f"planted 10 %: {found.planted}", *seen]
    tell(Console(), "\n".join(lines))


def _limits(limits: Limits) -> str:
    return f"[{limits[0]:.2f}, {limits[1]:.2f}]"


COMMAND = Command("try a published ratio on this machine", arguments, run)
