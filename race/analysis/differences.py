"""Differences between two races: machines, versions, and how they were run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from race.analysis.values import counted, in_order, place
from race.saved.head import Environment, Head, Interpreter
from race.saved.model import Work
from race.saved.reader import SavedRace
from runtime.versions import minor

Opened = dict[Work, dict[str, set[int]]]
"""The numbers of connections of the cells of each closed-loop work and label."""

_MACHINE = ("cpu", "cores", "kernel", "memory_bytes", "governor")


def differences(old: Head, new: Head) -> list[str]:
    """Return one sentence for each difference that may explain a change."""
    before, after = old.environment, new.environment
    found = [*_machine(before, after), *_versions("", before.used_versions, after.used_versions)]
    for label in sorted(before.interpreters.keys() & after.interpreters.keys()):
        one, two = before.interpreters[label], after.interpreters[label]
        found += _versions(f" on CPython {_minor(one)}", _packages(one), _packages(two))
    if old.discipline.name != new.discipline.name:
        found.append(f"Different discipline: {old.discipline.name} and {new.discipline.name}.")
    if old.scenario.get("load") != new.scenario.get("load"):
        found.append("The scenarios differ in their load.")
    found += _settings(old, new)
    return list(dict.fromkeys(found))  # contenders share interpreters


def connections(old: SavedRace, new: SavedRace) -> dict[Work, str]:
    """Return the works (`whatever_connections`) that two races loaded with other connections, each
    with both numbers and what to do.
    """
    before, after, found = _opened(old), _opened(new), dict[Work, str]()
    for work in in_order(before.keys() & after.keys(), new.head.discipline):
        for label in sorted(before[work].keys() & after[work].keys()):
            used = [_used(side[work][label]) for side in (before, after)]
            if used[0] != used[1]:
                where = f"{label} on {place(new.head.discipline, work)}"
                remedy = f"`race run --like {old.folder.name}` takes those of the first"
                found[work] = f"{used[0]} and {used[1]} connections ({where}): {remedy}"
                break
    return found


def whatever_connections(work: Work) -> Work:
    """Return a work without the number of connections and the duration that it began with."""
    return Work(work.task, replace(work.load, connections=1, duration_s=1.0))


def _used(numbers: set[int]) -> str:
    return " to ".join(f"{one:,}" for one in sorted({min(numbers), max(numbers)}))


def _opened(race: SavedRace) -> Opened:
    """Return the connections of the cells that count, by `whatever_connections`."""
    used: Opened = {}
    for cell in counted(race):
        load = cell.load
        if load.fills:
            number = cell.connections_used or load.connections
            used.setdefault(whatever_connections(cell.work), {}).setdefault(cell.label, set()).add(
                number
            )
    return used


def _settings(old: Head, new: Head) -> Iterator[str]:
    """Yield the differences in scenario keys by which cells are run and judged."""
    restart = [int(head.scenario.get("restart") or 0) for head in (old, new)]
    if restart[0] != restart[1]:
        rounds = " and ".join(f"every {one}" if one else "none" for one in restart)
        yield f"Different rounds after which servers start anew (restart): {rounds}."
    yield from _keys("limits", *(msgspec.to_builtins(head.limits) for head in (old, new)))
    yield from _keys("warmup", *(head.scenario.get("warmup") or {} for head in (old, new)))


def _keys(name: str, one: Mapping[str, Any], two: Mapping[str, Any]) -> Iterator[str]:
    """Yield one sentence about all that differs in a table of a scenario."""
    found = [
        f"{key} {one[key]} and {two[key]}" for key in one if key in two and one[key] != two[key]
    ]
    if found:
        yield f"Different {name}: {', '.join(found)}."


def _machine(before: Environment, after: Environment) -> Iterator[str]:
    for name in _MACHINE:
        one, two = getattr(before, name), getattr(after, name)
        if _differs(name, one, two):
            yield f"Different {name.replace('_bytes', '')}: {one} and {two}."
    for party in sorted(before.machines.keys() | after.machines.keys()):
        there = [side.machines.get(party) for side in (before, after)]
        places = [one.name if one else "the harness's" for one in there]
        if places[0] != places[1]:
            yield f"Different machine of the {party}: {places[0]} and {places[1]}."


def _differs(name: str, one: Any, two: Any) -> bool:
    """Return whether a fact of the machine differs; memory varies by what the kernel reserves."""
    if name == "memory_bytes" and one and two:
        return bool(abs(one - two) > 0.1 * max(one, two))
    return bool(one != two)


def _minor(interpreter: Interpreter) -> str:
    return minor(interpreter.python)


def _packages(interpreter: Interpreter) -> dict[str, str]:
    return {"python": interpreter.python, **interpreter.packages}


def _versions(
    where: str, one: Mapping[str, str | None], two: Mapping[str, str | None]
) -> Iterator[str]:
    for name in sorted({*one, *two}):
        if one.get(name) != two.get(name):
            before, after = one.get(name) or "none", two.get(name) or "none"
            yield f"Different {name}{where}: {before} and {after}."
