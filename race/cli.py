"""The command `race`: it prints one line for every error that a person can cause."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from race import completion, console
from race.commands import COMMANDS, INTERRUPTED, Command
from race.errors import RaceError
from race.machine import describe, pins
from race.paths import RESULTS
from race.saved.reader import ResultsError
from runtime.arguments import WRONG_USE, Parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    made = parser()
    completion.complete(made)
    options = made.parse_args(argv)
    pins.restore_left()
    try:
        status: int = options.command.run(options)
    except (RaceError, ResultsError) as error:
        console.write(f"race: {error}", sys.stderr)
        return WRONG_USE
    except KeyboardInterrupt:
        print("race: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    return status


def parser() -> Parser:
    """Return the parser of every command with its options."""
    top = Parser(
        "race", description="Race Python web stacks, and rank only what is shown to differ."
    )
    top.add_argument("--version", action="version", version=f"%(prog)s {describe.own_version()}")
    to = top.add_subparsers(required=True, metavar="COMMAND")
    for name, plugin in COMMANDS.items():
        command: Command = plugin.load()
        text = command.summary
        made = to.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        made.set_defaults(command=command)
        made.add_argument("--json", action="store_true", help="JSON on standard output")
        made.add_argument(
            "--results", type=Path, default=RESULTS, metavar="DIR", help="folder of saved races"
        )
        command.arguments(made)
    return top
