"""`race power`: the power of races with more or fewer rounds than a saved one."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Iterator

from race.analysis.power import EFFECTS, RACES, ROUNDS, Outlook, Power, power
from race.analysis.values import place
from race.commands import Command
from race.commands.find import SAVED_RACE, find
from race.errors import RaceError
from race.saved.model import Discipline
from race.saved.reader import load
from race.stats import signed_rank
from runtime.arguments import whole_number

MOST_ROUNDS = 60


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the race whose noise is taken, and what to simulate."""
    text = f"{SAVED_RACE} (default: latest)"
    parser.add_argument("race", metavar="RUN", nargs="?", default="latest", help=text)
    parser.add_argument(
        "--rounds",
        type=whole_number("number of rounds", 1, MOST_ROUNDS),
        nargs="+",
        metavar="N",
        default=ROUNDS,
        help="default: 4 6 9 12",
    )
    text = "true ratios, default: 1.10 1.25 1.50"
    parser.add_argument(
        "--effect",
        type=_number("ratio above 1, such as 1.10", 1.0001, 100),
        nargs="+",
        metavar="RATIO",
        default=EFFECTS,
        help=text,
    )
    text = (
        "standard deviation between processes of the same code, in %% (default: as the race shows)"
    )
    parser.add_argument(
        "--processes",
        type=_number("percentage from 0 to 100", 0, 100),
        metavar="PERCENT",
        help=text,
    )


def run(options: argparse.Namespace) -> int:
    """Print the noise of each work, false claims and power for each number of rounds."""
    saved = load(find(options.results, options.race))
    try:
        processes = None if options.processes is None else options.processes / 100
        found = power(saved, options.rounds, options.effect, processes)
    except ValueError as error:
        raise RaceError(f"{saved.head.race}: {error}") from None
    if options.json:
        print(json.dumps(found.as_json()))
    else:
        show(found, saved.head.discipline)
    return 0


def show(found: Power, discipline: Discipline) -> None:
    """Print two tables: the noise of a saved race, and the power of races like it."""
    from race.console import Console
    from race.terminal.tables import plain_table

    console = Console()
    console.print(plain_table(f"Noise of {found.race}", list(_noise(found, discipline))))
    console.print(
        f"Processes of the same code differ by {100 * found.processes:.1f} % (standard deviation)."
    )
    title = f"{RACES} races of {found.contenders} equals with that noise, and one faster"
    console.print(plain_table(title, [_outlook(found, one) for one in found.outlooks]))
    needed = signed_rank.rounds_needed()
    console.print(
        "Covered: of 100 intervals, how many contain the truth. Winner, effect, headline, any: of "
        "100 reports of equals, how many claim a winner anywhere, an effect anywhere, a winner in "
        "the headline, any of these. Equal: of 100 reports in which all are as far from the first "
        "as may just be called equal, how many show any of them equal to it. The ratios: "
        f"of 100 such differences, how many are found, in brackets on the worst {discipline.task}. "
        f"With fewer than {needed} rounds there is no interval, so nothing is claimed.",
        highlight=False,
    )
    if not found.twin:
        console.print("The race has no A/A twin; the figures are for one that has.")


def _noise(found: Power, discipline: Discipline) -> Iterator[dict[str, str]]:
    for one in found.scatter:
        task = place(discipline, one.work)
        yield {discipline.task: task, "round": f"{100 * one.round:.1f} %"}


def _outlook(found: Power, one: Outlook) -> dict[str, str]:
    claims = {
        "covered": one.coverage,
        "winner": one.false_reports,
        "equal": one.false_equals,
        "effect": one.false_effects,
        "headline": one.false_headlines,
        "any": one.false_claims,
    }
    row = {"rounds": str(one.rounds)}
    row |= {what: f"{100 * share:.1f}" for what, share in claims.items()}
    for ratio, shares in zip(found.effects, one.found, strict=True):
        known = [100 * share for share in shares if not math.isnan(share)]
        text = f"{math.fsum(known) / len(known):.0f} ({min(known):.0f})" if known else "–"
        row[f"{ratio:g}×"] = text
    return row


def _number(what: str, least: float, most: float) -> Callable[[str], float]:
    """Return the parser of a number from `least` to `most`."""

    def number(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is no {what}")
        return value

    return number


COMMAND = Command("estimate which differences N rounds would find", arguments, run)
