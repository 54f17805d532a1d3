"""The contenders of an application's race: its servers, one for each combination of levels."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from race.app.scenario import PORT, AppScenario, level_name
from race.errors import RaceError
from race.machine.describe import PYTHON
from race.plan.contenders import matching
from race.saved.model import Contender

CONTENDER = "server"
SHELL = {"&&", "||", "|", ";", "&", ">", ">>", "<"}
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)


@dataclass(frozen=True)
class Command:
    """A command line with the environment variables that it sets."""

    words: tuple[str, ...]
    env: Mapping[str, str]

    def __str__(self) -> str:
        return shlex.join([*(f"{name}={value}" for name, value in self.env.items()), *self.words])


def choose(scenario: AppScenario) -> list[Contender]:
    """Return the contenders that a scenario's names and patterns fit. RaceError if one fits none,
    or if a command cannot be run.
    """
    found = [_contender(scenario, levels) for levels in product(*scenario.levels.values())]
    names = [one.name.lower() for one in found]
    if twice := [one.name for one in found if names.count(one.name.lower()) > 1]:
        raise RaceError(f"two servers would be called {twice[0]!r}: give a level another name")
    wanted = matching(scenario, [one.name for one in found], CONTENDER)
    chosen = [one for name in wanted for one in found if one.name == name]
    for one in chosen:
        command = serve(scenario, one, 0)
        if not (scenario.build or scenario.commits or _exists(scenario, command)):
            program = command.words[0]
            raise RaceError(f"{one.label}: cannot find {program!r}, which `serve` begins with")
    return chosen


def _exists(scenario: AppScenario, command: Command) -> bool:
    """Return whether there is a program that a command begins with."""
    program = command.words[0]
    if "/" in program:
        return (Path(scenario.folder) / program).exists()
    return shutil.which(program, path=command.env.get("PATH")) is not None


def _contender(scenario: AppScenario, levels: tuple[str, ...]) -> Contender:
    factors = dict(zip(scenario.levels, levels, strict=True))
    alone = re.sub(r"[^\w.+-]", "-", Path(scenario.folder).name)
    name = "-".join(levels) or alone or scenario.name
    named = {factor: level_name(factor, level) for factor, level in factors.items()}
    # Without a level the core would describe its own interpreter.
    return Contender(label=name, name=name, factors={PYTHON: "", **named})


def build(scenario: AppScenario, contender: Contender) -> Command | None:
    """Return the command that builds a contender; None if nothing does."""
    return _command(scenario, contender, "build", scenario.build, {}) if scenario.build else None


def serve(scenario: AppScenario, contender: Contender, port: int) -> Command:
    """Return the command that serves a contender on a port."""
    return _command(scenario, contender, "serve", scenario.serve, {PORT: str(port)})


def _command(
    scenario: AppScenario, contender: Contender, what: str, text: str, more: Mapping[str, str]
) -> Command:
    levels = _texts(scenario, contender)
    filled = _filled(text, {**levels, **more})
    try:
        words = shlex.split(filled)
    except ValueError as error:
        raise RaceError(f"{what} {filled!r}: {error}") from None
    if shell := SHELL.intersection(words):
        raise RaceError(
            f"{what} has {shell.pop()!r}, but no shell runs it: write sh -c 'exec ...' around it"
        )
    env = {name: _filled(value, {**levels, **more}) for name, value in scenario.env.items()}
    while words and (assigned := _ASSIGNED.fullmatch(words[0])):
        env[assigned[1]] = assigned[2]
        words.pop(0)
    if not words:
        raise RaceError(f"{what} {filled!r} has no program")
    return Command(tuple(words), env)


def _texts(scenario: AppScenario, contender: Contender) -> dict[str, str]:
    """Return the text of a contender's level of each factor."""
    return {
        factor: text
        for factor, levels in scenario.levels.items()
        for level, text in levels.items()
        if level_name(factor, level) == contender.factors[factor]
    }


def _filled(text: str, values: Mapping[str, str]) -> str:
    """Return a text with values in place of their names in braces; levels may name others."""
    names = "|".join(map(re.escape, values)) or "(?!)"
    for _ in range(len(values)):
        text = re.sub(rf"\{{({names})\}}", lambda match: values[match[1]], text)
    return text
