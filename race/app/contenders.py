"""The contenders of an application's race: its servers, one for each combination of levels."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from race.app import factors
from race.app.commits.checkouts import Checkout
from race.app.scenario import COMMIT, PLACES, ROUND, SOCKET, WORD, AppScenario, level_name
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
    combined = factors.combined(
        scenario.levels, scenario.combinations, scenario.vary, free=(COMMIT,)
    )
    if not combined:
        raise RaceError("no combination has all other factors at their first level")
    found = [_contender(scenario, levels) for levels in combined]
    names = [word(one) for one in found]
    if twice := [one.name for one in found if names.count(word(one)) > 1]:
        raise RaceError(f"two servers would be called {twice[0]!r}: give a level another name")
    wanted = matching(scenario, [one.name for one in found], CONTENDER)
    chosen = [one for name in wanted for one in found if one.name == name]
    for one in chosen:
        on_socket(scenario, one)
        _check_programs(scenario, one)
    return chosen


def _check_programs(scenario: AppScenario, contender: Contender) -> None:
    """Raise RaceError if a command begins with a program that is not there."""
    for what, command in _first_commands(scenario, contender).items():
        if command and (problem := _no_program(scenario, command)):
            raise RaceError(f"{contender.label}: {problem}, which `{what}` begins with")


def _first_commands(scenario: AppScenario, contender: Contender) -> dict[str, Command | None]:
    """Return the commands whose programs neither `build` nor a checkout may bring."""
    if scenario.build:
        command = build(scenario, contender)
        brought = scenario.commits and command and "/" in command.words[0]
        return {} if brought else {"build": command}
    if scenario.commits:
        return {}
    return {
        "serve": serve(scenario, contender, dict.fromkeys(PLACES, "")),
        "prepare": prepare(scenario, contender),
        "reset": reset(scenario, contender),
    }


def _no_program(scenario: AppScenario, command: Command) -> str | None:
    """Return why there is no program that a command begins with; None if there is one."""
    program = command.words[0]
    path = Path(scenario.folder) / program
    if "/" in program and path.exists():
        return None if shutil.which(path) else f"cannot run {program!r}"
    found = None if "/" in program else shutil.which(program, path=command.env.get("PATH"))
    return None if found else f"cannot find {program!r}"


def _contender(scenario: AppScenario, levels: tuple[str, ...]) -> Contender:
    chosen = dict(zip(scenario.levels, levels, strict=True))
    alone = re.sub(r"[^\w.+-]", "-", Path(scenario.folder).name)
    name = "-".join(map(_said, chosen, levels)) or alone or scenario.name
    named = {factor: level_name(factor, level) for factor, level in chosen.items()}
    # Without a level the core would describe its own interpreter.
    return Contender(label=name, name=name, factors={PYTHON: "", **named})


def _said(factor: str, level: str) -> str:
    """Return a level as it stands in a contender's name: a number alone would say nothing."""
    alone = factor != COMMIT and re.fullmatch(r"[\d.]+", level)
    return f"{factor}={level}" if alone else level


def word(contender: Contender) -> str:
    """Return a word for a contender, or its twin, that can be part of a name anywhere."""
    return re.sub(r"\W", "_", contender.label).lower()


def checkout(scenario: AppScenario, contender: Contender) -> Checkout:
    """Return the commit that a contender is of, and the command that builds it."""
    command = build(scenario, contender)
    return Checkout(contender.factors.get(COMMIT, ""), str(command) if command else "")


def build(
    scenario: AppScenario, contender: Contender, values: Mapping[str, str] | None = None
) -> Command | None:
    """Return the command that builds a contender; None if nothing does. Without `values` it only
    tells builds apart.
    """
    return _other(scenario, contender, "build", values)


def prepare(
    scenario: AppScenario, contender: Contender, values: Mapping[str, str] | None = None
) -> Command | None:
    """Return the command that prepares what a contender writes to; None without one. Without
    `values` it only tells preparations apart.
    """
    return _other(scenario, contender, "prepare", values)


def reset(
    scenario: AppScenario, contender: Contender, values: Mapping[str, str] | None = None
) -> Command | None:
    """Return the command that resets what a contender writes to; None without one."""
    return None if scenario.reset == ROUND else _other(scenario, contender, "reset", values)


def serve(scenario: AppScenario, contender: Contender, values: Mapping[str, str]) -> Command:
    """Return the command that serves a contender, with values by what stands for them."""
    return _command(scenario, contender, "serve", scenario.serve, values)


def on_socket(scenario: AppScenario, contender: Contender) -> bool:
    """Return whether a contender's server listens on a Unix socket, not on a port. RaceError if it
    is given both, or none.
    """
    command = serve(scenario, contender, {one: f"\0{one}" for one in PLACES})
    texts = (*command.words, *command.env.values())
    used = [one for one in PLACES if any(f"\0{one}" in text for text in texts)]
    if len(used) != 1:
        number = "both" if used else "none"
        places = " and ".join(f"{{{one}}}" for one in PLACES)
        raise RaceError(f"{contender.label}: of {places} `serve` has {number}: it must have one")
    return used == [SOCKET]


def _other(
    scenario: AppScenario, contender: Contender, what: str, values: Mapping[str, str] | None
) -> Command | None:
    """Return one of the commands that do not serve. RaceError if something in it has no value."""
    text = getattr(scenario, what)
    if not text:
        return None
    command = _command(scenario, contender, what, text, values or {})
    left = re.search(rf"\{{({WORD}|{'|'.join(PLACES)})\}}", " ".join(command.words))
    if left and values is not None:
        raise RaceError(f"{what} has {left[0]}, which stands for nothing there")
    return command


def _command(
    scenario: AppScenario, contender: Contender, what: str, text: str, more: Mapping[str, str]
) -> Command:
    levels = _texts(scenario, contender)
    filled = _filled(text, {**levels, **more})
    try:
        words = shlex.split(filled)
    except ValueError as error:
        raise RaceError(f"{what} {_filled(text, levels)!r}: {error}") from None
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
    found = {
        factor: text
        for factor, levels in scenario.levels.items()
        for level, text in levels.items()
        if level_name(factor, level) == contender.factors[factor]
    }
    return {factors.PACKAGES: factors.requirements(scenario.factors, found), **found}


def _filled(text: str, values: Mapping[str, str]) -> str:
    """Return a text with values in place of their names in braces; levels may name others."""
    names = "|".join(map(re.escape, values)) or "(?!)"
    for _ in range(len(values)):
        text = re.sub(rf"\{{({names})\}}", lambda match: values[match[1]], text)
    return text
