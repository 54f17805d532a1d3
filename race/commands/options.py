"""The options that change a scenario, the same for `race run` and `race series`."""

from __future__ import annotations

import argparse
import contextlib
import re
import tomllib
from collections.abc import Iterator, Sequence
from typing import Any

from race.discipline import DISCIPLINES, discipline
from race.errors import RaceError
from race.plan import read
from race.scenario import LEAST_SECONDS, Scenario

LISTS = {
    "contenders": "names, patterns or labels ('asyncpg, uvloop;psycopg'), in any case",
    "tasks": "names",
}
NUMBERS = ("rounds", "reruns", "duration", "connections")
CHANGED = {
    "contenders": "contenders",
    "tasks": "tasks",
    "factors": "vary",
    "allow_different": "allow_different",
    "rounds": "rounds",
    "reruns": "limits.reruns",
    "duration": "load.duration_s",
    "connections": "load.connections",
    "server": "hosts.server",
    "generator": "hosts.generator",
    "database": "hosts.database",
}
"""Option to the key of the scenario that it changes."""
EVERYONE = "*"
"""The pattern of all contenders."""
HOSTS = {
    "server": ("HOST:CHECKOUT", "the machine of the server, with a checkout of this commit"),
    "generator": ("HOST[:PYTHON]", "the machine of the load, as in `ssh HOST`: docs/hosts.md"),
    "database": ("HOST[:PYTHON]", "the machine of the private databases"),
}
"""The parties of the site that can run on other machines."""
FOR_APPLICATIONS = ("factors", "allow_different")
LONGEST = 30 * 86400.0
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def scenario_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that change a scenario."""
    for kind, forms in LISTS.items():
        words = [f"--{word}" for word in _own_words(kind)]
        split = labels if kind == "contenders" else names
        parser.add_argument(*words, dest=kind, type=split, metavar="A,B", help=forms)
    text = "of an application: these factors differ, the others have their first level"
    parser.add_argument("--factors", type=names, metavar="A,B", help=text)
    text = "of an application: race although servers answer differently"
    parser.add_argument("--allow-different", action="store_true", default=None, help=text)
    parser.add_argument("--rounds", type=int, metavar="N", help="how often each cell runs")
    parser.add_argument(
        "--reruns", type=int, metavar="N", help="repeat an invalid cell at most N times"
    )
    parser.add_argument(
        "--duration", type=seconds, metavar="TIME", help="length of a cell: 5s, 500ms"
    )
    text = "connections that the calibration begins with; it raises them where more are needed"
    parser.add_argument("--connections", type=int, metavar="N", help=text)
    for name, (form, text) in HOSTS.items():
        parser.add_argument(f"--{name}", metavar=form, help=f"of the site: {text}")
    text = "any key of the scenario, as in load.concurrency=1,10; may be given again"
    form = "KEY=VALUE"
    parser.add_argument("--set", type=setting, action="append", default=[], metavar=form, help=text)


def _own_words(kind: str) -> Iterator[str]:
    """Yield each discipline's word for its contenders or tasks, in the plural, then the core's."""
    for name in DISCIPLINES:
        one = discipline(name)
        yield (one.contender if kind == "contenders" else one.task) + "s"
    yield kind


def changed(chosen: Scenario, options: argparse.Namespace) -> Scenario:
    """Return the scenario with the changes of the command line, and a title that says so."""
    given = {key: getattr(options, option) for option, key in CHANGED.items()}
    for option in FOR_APPLICATIONS:
        if getattr(options, option) and not hasattr(chosen, CHANGED[option]):
            raise RaceError(f"{_word(option)} is for applications, and {chosen.name} races none")
    for option in HOSTS:
        if getattr(options, option) and not hasattr(chosen, "hosts"):
            raise RaceError(f"{_word(option)} is for races of the site")
    changes = {key: value for key, value in given.items() if value is not None}
    changes |= {key: value for key, value, _ in options.set}
    made = read.change(chosen, changes) if changes else chosen
    titled = "title" in changes or not changes.keys() & LISTS
    return made if titled else read.change(made, {"title": _title(made)})


def _title(scenario: Scenario) -> str:
    """Return who races on what, in a few words."""
    kind = discipline(scenario.discipline)
    who, where = _some(scenario.contenders, kind.contender), _some(scenario.tasks, kind.task)
    return f"{who} on {where}"


def _some(names: Sequence[str], kind: str) -> str:
    if list(names) == [EVERYONE]:
        return f"all {kind}s"
    return ", ".join(names) if len(names) < 3 else f"{len(names)} {kind}s"


def as_words(options: argparse.Namespace, named: str) -> list[str]:
    """Return the options as they are typed for a race of the discipline of that name."""
    chosen = discipline(named)
    own = {"contenders": chosen.contender, "tasks": chosen.task}
    words: list[str] = []
    for kind in LISTS:
        value = getattr(options, kind)
        words += [f"--{own[kind]}s", ",".join(value)] if value else []
    words += ["--factors", ",".join(options.factors)] if options.factors else []
    words += [_word("allow_different")] if options.allow_different else []
    for name in (*NUMBERS, *HOSTS):
        value = getattr(options, name)
        words += [f"--{name}", str(value)] if value is not None else []
    return words + [word for *_, text in options.set for word in ("--set", text)]


def exact(number: float) -> str:
    """Return a number as it is typed: without an exponent, which no option takes."""
    return f"{number:.12g}"


def _word(option: str) -> str:
    return f"--{option.replace('_', '-')}"


def names(text: str) -> list[str]:
    """Return names that are separated by commas."""
    return _whole(text, read.listed(text))


def labels(text: str) -> list[str]:
    """Return names, patterns or labels; a comma before a space is part of a label."""
    return _whole(text, read.labels(text))


def _whole(text: str, found: list[str]) -> list[str]:
    if not all(found):
        raise argparse.ArgumentTypeError(f"{text!r} has an empty name: names, separated by commas")
    return found


def setting(text: str) -> tuple[str, Any, str]:
    """Return a key, its value (of TOML, else a text), and both as written."""
    key, sign, value = (part.strip() for part in text.partition("="))
    if not (key and sign and value):
        raise argparse.ArgumentTypeError(f"{text!r} is no KEY=VALUE, such as load.connections=32")
    for written in (value, f"[{value}]"):
        with contextlib.suppress(tomllib.TOMLDecodeError):
            return key, tomllib.loads(f"value = {written}")["value"], text
    return key, value, text


def seconds(text: str) -> float:
    """The length of a cell, from `5`, `5s` or `500ms`."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?|\.\d+) ?(ms|s|)", text.strip())
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no time, such as 5, 5s or 500ms")
    value = float(match[1]) * (0.001 if match[2] == "ms" else 1.0)
    if value < LEAST_SECONDS:
        least = f"{LEAST_SECONDS:g} s, because a load generator needs time to start and stop"
        raise argparse.ArgumentTypeError(f"{text!r} is too short: a cell takes at least {least}")
    return value


def span(text: str) -> float:
    """Return seconds from `8h`, `90m`, `45s`, `1d` or `0`."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd])|0", text.strip())
    value = float(match[1]) * _UNITS[match[2]] if match and match[1] else 0.0
    if match is None or value > LONGEST:
        raise argparse.ArgumentTypeError(f"{text!r} is no time up to 30d, such as 8h, 90m or 0")
    return value


def percent(text: str) -> float:
    """Return a fraction from `5%` or `5`."""
    try:
        value = float(text.removesuffix("%")) / 100
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no percentage such as 5%") from None
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not between 0% and 100%")
    return value
