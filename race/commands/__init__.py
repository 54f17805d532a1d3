"""The commands of `race`: one file each, one line each in the registry."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass

from runtime.plugin import Plugin

COMMANDS = {
    "run": Plugin("race.commands.run:COMMAND"),
    "gate": Plugin("race.app.gate.command:COMMAND"),
    "commits": Plugin("race.app.commits.command:COMMAND"),
    "bisect": Plugin("race.app.commits.bisect:COMMAND"),
    "init": Plugin("race.app.init:COMMAND"),
    "capacity": Plugin("race.capacity.command:COMMAND"),
    "resume": Plugin("race.commands.resume:COMMAND"),
    "series": Plugin("race.commands.series:COMMAND"),
    "report": Plugin("race.commands.report:COMMAND"),
    "compare": Plugin("race.commands.compare:COMMAND"),
    "merge": Plugin("race.commands.merge:COMMAND"),
    "claim": Plugin("race.commands.claim:COMMAND"),
    "articles": Plugin("race.commands.articles:COMMAND"),
    "replicate": Plugin("race.replicate.command:COMMAND"),
    "why": Plugin("race.why.command:COMMAND"),
    "power": Plugin("race.commands.power:COMMAND"),
    "list": Plugin("race.commands.list:COMMAND"),
    "show": Plugin("race.commands.show:COMMAND"),
    "doctor": Plugin("race.commands.doctor:COMMAND"),
    "completion": Plugin("race.completion:COMMAND"),
}

AFTER = Plugin("race.why.command:after")
"""What `race run --why` does after its race."""

FAILED = 1
NO_RESULT = 3
INTERRUPTED = 130


@dataclass(frozen=True)
class Command:
    """`arguments` adds the command's own to its parser; `run` carries it out: the exit status.

    Every command has `--json` and `--results`, the folder of the saved races.
    """

    summary: str
    arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], int]
