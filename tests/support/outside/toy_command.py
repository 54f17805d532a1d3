"""A command that says how it was called."""

from __future__ import annotations

import argparse

from race.commands import Command


def arguments(parser: argparse.ArgumentParser) -> None:
    """One."""
    parser.add_argument("--loudly", action="store_true")


def run(options: argparse.Namespace) -> int:
    """Say so."""
    print("HELLO" if options.loudly else "hello")
    return 3


COMMAND = Command("say hello", arguments, run)
