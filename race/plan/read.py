"""Reads scenarios from TOML; they are checked before anything starts."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_origin

import msgspec
from msgspec import Struct

from race.discipline import DISCIPLINES, Discipline, discipline
from race.errors import RaceError, unknown
from race.paths import SCENARIOS
from race.saved.model import PATTERNS
from race.scenario import DEFAULT_DISCIPLINE, Scenario

Form = TypeVar("Form", bound=Struct)
PRINTED_LOADS = {
    r"x(\d+)": "load.pipeline",
    r"c(\d+)": "load.concurrency",
    r"(\d+) at once": "load.concurrency",
    r"(\d+) connections": "load.connections",
}
"""Patterns of how a load is printed beside a task, and the key of a scenario that sets it."""


def names() -> list[str]:
    """The ready-made scenarios."""
    return sorted(path.stem for path in SCENARIOS.glob("*.toml"))


def load(name: str) -> Scenario:
    """A ready-made scenario by name, or a TOML file by path."""
    path = Path(name) if name.endswith(".toml") else SCENARIOS / f"{name}.toml"
    if not name.endswith(".toml") and name not in names():
        raise unknown("scenario", name, names())
    return from_file(path, toml(path))


def from_file(path: Path, data: Mapping[str, Any]) -> Scenario:
    """The scenario of a file's data. A `folder` is that of the file, or counts from there."""
    form = discipline(str(data.get("discipline", DEFAULT_DISCIPLINE))).scenario
    folder = {}
    if hasattr(form, "folder"):
        folder = {"folder": str((path.parent / str(data.get("folder", ""))).resolve())}
    return from_json({"name": path.stem, **data, **folder})


def toml(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file; raises RaceError if it cannot be read."""
    try:
        return tomllib.loads(path.read_text())
    except OSError as error:
        raise RaceError(f"cannot read {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RaceError(f"{path.name}: {error}") from None


def converted(data: Mapping[str, Any], form: type[Form], what: str, key: str) -> Form:
    """Decoded data as a record; RaceError in one line, about `what` or one `key` of it, when it is
    none.
    """
    for name, valid in _unknown_keys(form, data, ""):
        raise unknown(key, name, valid)
    try:
        return msgspec.convert(data, form)
    except msgspec.ValidationError as error:
        raise RaceError(f"{what}: {_in_words(error)}") from None


def from_json(data: Mapping[str, Any]) -> Scenario:
    """Check decoded data and build the scenario; RaceError in one line otherwise."""
    chosen = discipline(str(data.get("discipline", DEFAULT_DISCIPLINE)))
    if "discipline" not in data and (found := _of_another(chosen, data)):
        raise RaceError(f"scenario {data.get('name', '')}: {found}")
    made = converted(data, chosen.scenario, f"scenario {data.get('name', '')}", "scenario key")
    tasks = chosen.tasks(made)
    for task in made.tasks:
        if task not in tasks:
            raise _unknown_task(chosen.task, tasks, task)
    for key, value in (*_doubled(made, ""), *_doubled(made.load, "load.")):
        raise RaceError(f"scenario {made.name}: {key} has {value!r} twice")
    if made.load.connections < made.load.threads:
        raise RaceError(f"scenario {made.name}: more load.threads than load.connections")
    return made


def _of_another(chosen: Discipline, data: Mapping[str, Any]) -> str | None:
    """Return what to write where a key is one of another discipline; None where none is."""
    for name in DISCIPLINES:
        keys = _types(discipline(name).scenario) or {}
        for key in data:
            if key in keys and key not in (_types(chosen.scenario) or {}):
                return f'key {key!r} needs discipline = "{name}" in the file'
    return None


def _unknown_task(word: str, tasks: Collection[str], text: str) -> RaceError:
    """Return the error for a task; what a plan or a table prints, "ugly x24", has a load too."""
    for pattern, key in PRINTED_LOADS.items():
        match = re.fullmatch(rf"(\S+?)(?:,| \(| ){pattern}.*", text)
        if match and match[1] in tasks:
            how = f"type {match[1]!r} and --set {key}={match[2]}"
            return RaceError(f"{text!r} is the {word} {match[1]!r} under a load: {how}")
    return unknown(word, text, tasks)


def change(scenario: Scenario, changes: Mapping[str, Any]) -> Scenario:
    """The scenario with some keys replaced (`load.connections` for a nested one), checked again.

    Keys are fields, or what a file calls them. A list takes one value, or several in a text with
    commas.
    """
    changes = {**scenario.reset_by(changes), **changes}
    data = scenario.as_json()
    fields = msgspec.structs.fields(scenario)
    written = {word: one.encode_name for one in fields for word in (one.name, one.encode_name)}
    for key, value in changes.items():
        table, _, inner = key.rpartition(".")
        first = table or inner
        if first not in written:
            raise unknown("scenario key", first, {one.encode_name for one in fields})
        place = data[written[table]] if table else data
        if not isinstance(place, dict):
            raise RaceError(f"scenario {scenario.name}: {table} is no table, so it has no {key}")
        name = inner if table else written[inner]
        split = labels if name in (written["contenders"], "exclude") else listed
        if not isinstance(place.get(name), (list, tuple)) or isinstance(value, list):
            place[name] = value
        else:
            place[name] = split(value) if isinstance(value, str) else [value]
    return from_json(data)


def listed(text: str) -> list[str]:
    """Return the items of a text with commas between them."""
    return [item.strip() for item in text.split(",")]


def labels(text: str) -> list[str]:
    """Return the items of a text with commas or semicolons between them.

    A comma before a space separates nothing: it is part of a label, such as "asyncpg, uvloop".
    """
    return [item.strip() for item in re.split(r";|,(?! )", text)]


def _unknown_keys(form: Any, data: Any, where: str) -> Iterator[tuple[str, list[str]]]:
    """Keys that a form does not have, with those it has; also in tables and lists inside."""
    form = get_args(form)[0] if get_origin(form) is Annotated else form
    known = _types(form)
    if known is not None and isinstance(data, Mapping):
        valid = [f"{where}{name}" for name in known]
        yield from ((f"{where}{key}", valid) for key in data if key not in known)
    for inner, value, place in _inside(form, data, where):
        yield from _unknown_keys(inner, value, place)


@cache
def _types(form: Any) -> dict[str, Any] | None:
    """Return the type of each key of a table's form; None for another form."""
    if not (isinstance(form, type) and issubclass(form, Struct)):
        return None
    return {one.encode_name: one.type for one in msgspec.structs.fields(form)}


def _inside(form: Any, data: Any, where: str) -> Iterator[tuple[Any, Any, str]]:
    """Yield what a table or list contains: the form, the data, and its place."""
    if isinstance(data, list) and get_origin(form) is tuple:
        for number, value in enumerate(data):
            yield get_args(form)[0], value, f"{where[:-1]}[{number}]."
    elif isinstance(data, Mapping):
        types = _types(form) or {}
        every = get_args(form)[1] if get_origin(form) is dict else None
        for key, value in data.items():
            yield types.get(key, every), value, f"{where}{key}."


def _doubled(form: Struct, where: str) -> Iterator[tuple[str, Any]]:
    """Return keys and values that a list has twice, and that would be measured twice."""
    for one in msgspec.structs.fields(form):
        values = getattr(form, one.name)
        if not isinstance(values, tuple):
            continue
        folded = [value.lower() if isinstance(value, str) else value for value in values]
        twice = (value for value in folded if folded.count(value) > 1)
        yield from ((where + one.encode_name, value) for value in twice)


def _in_words(error: msgspec.ValidationError) -> str:
    """msgspec says "Expected `int`, got `str` - at `$.rounds`": the key comes first here."""
    said = str(error)
    for pattern, words in PATTERNS.items():
        said = said.replace(f"Expected `str` matching regex {pattern!r}", words)
    text, _, path = said.replace("`", "").partition(" - at ")
    key = path.removeprefix("key in ").removeprefix("$.")
    if missing := re.fullmatch(r"Object missing required field (\w+)", text):
        return f"key {'.'.join(filter(None, [key, missing[1]]))!r} is missing"
    text = text[0].lower() + text[1:].replace("object", "a table").replace("array", "a list")
    return f"key {key!r}: {text}" if key else text
