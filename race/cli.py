"""The command `race`: its arguments, and one line for every error a person can cause."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from race.commands import doctor
from race.commands import run as commands
from race.commands import show as catalogue
from race.errors import RaceError
from race.paths import RESULTS
from race.saved.reader import ResultsError

WRONG_USE = 2

Command = Callable[[argparse.Namespace], int]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; the exit status."""
    options = parser().parse_args(argv)
    try:
        status: int = options.command(options)
    except (RaceError, ResultsError) as error:
        print(f"race: {error}", file=sys.stderr)
        return WRONG_USE
    except KeyboardInterrupt:
        print("race: interrupted", file=sys.stderr)
        return commands.INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    return status


def parser() -> argparse.ArgumentParser:
    """Every command with its options."""
    top = argparse.ArgumentParser(
        "race", description="Race Python web stacks, and rank only what can be told apart."
    )
    to = top.add_subparsers(required=True, metavar="COMMAND")
    _add_run(_add(to, "run", commands.run, "race the engines of a scenario"))
    _add_saved(_add(to, "resume", commands.resume, "go on with an interrupted race"), "race")
    report = _add(to, "report", commands.report, "write the HTML report of a race")
    report.add_argument("--markdown", action="store_true", help="print it as Markdown instead")
    _add_saved(report, "race")
    _add_compare(_add(to, "compare", commands.compare, "two races side by side"))
    _add(to, "list", catalogue.list_all, "the scenarios and the saved races")
    show = _add(to, "show", catalogue.show, "a scenario's plan, or the cells of a saved race")
    show.add_argument("name", metavar="NAME", help="a scenario, or a race as for `report`")
    _add(to, "doctor", doctor.run, "what is installed, what is missing, how noisy this machine is")
    return top


def _add(
    to: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    command: Command,
    text: str,
) -> argparse.ArgumentParser:
    made = to.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
    made.set_defaults(command=command)
    made.add_argument("--json", action="store_true", help="JSON on standard output")
    made.add_argument("--results", type=Path, default=RESULTS, metavar="DIR", help="saved races")
    return made


def _add_run(made: argparse.ArgumentParser) -> None:
    text = "a name from `race list`, or a TOML file; default %(default)s"
    made.add_argument("scenario", nargs="?", default="quick", metavar="SCENARIO", help=text)
    made.add_argument("--engines", type=_names, metavar="A,B", help="names or patterns")
    made.add_argument("--pages", type=_names, metavar="X,Y")
    made.add_argument("--rounds", type=int, metavar="N")
    made.add_argument("--reruns", type=int, metavar="N", help="of invalid rounds, at most")
    made.add_argument("--seed", type=int, metavar="S", help="of the order; default: a random one")
    made.add_argument("--duration", type=float, metavar="SECONDS", help="of a cell")
    made.add_argument("--connections", type=int, metavar="N")
    made.add_argument("--port", type=int, metavar="P", help="of the servers; default: a free one")
    made.add_argument("--dry-run", action="store_true", help="show the plan and its duration only")


def _add_saved(made: argparse.ArgumentParser, name: str) -> None:
    made.add_argument(name, metavar="RUN", help="an id, a folder, or `latest`")


def _add_compare(made: argparse.ArgumentParser) -> None:
    made.add_argument("before", metavar="A", help="an id, a folder, or `latest`")
    made.add_argument("after", metavar="B", help="likewise")
    made.add_argument("--fail-if-slower", type=_percent, metavar="5%", help="exit 1 beyond that")
    text = "each contender against its race's mean: for machines of different speed"
    made.add_argument("--relative", action="store_true", help=text)
    made.add_argument("--markdown", type=Path, metavar="FILE")
    made.add_argument("--html", type=Path, metavar="FILE")


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise argparse.ArgumentTypeError("names, separated by commas")
    return names


def _percent(text: str) -> float:
    """A fraction from `5%` or `5`."""
    try:
        value = float(text.removesuffix("%")) / 100
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no percentage such as 5%") from None
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not between 0% and 100%")
    return value
