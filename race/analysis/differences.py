"""Differences between two races: machines, versions, and how they were run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from race.analysis.values import counted, in_order, place
from race.saved.model import Discipline, Environment, Head, Interpreter, Work
from race.saved.reader import SavedRace

Opened = dict[Work, dict[str, list[int]]]
"""The numbers of connections of the cells of each closed-loop work and label."""

_MACHINE = ("cpu", "cores", "kernel", "memory_bytes", "governor")


def differences(old: Head, new: Head) -> list[str]:
    """Return one sentence for each difference that may explain a change."""
    before, after = old.environment, new.environment
    found = [*_machine(before, after), *_versions("", before.versions, after.versions)]
    for label in sorted(before.interpreters.keys() & after.interpreters.keys()):
        one, two = before.interpreters[label], after.interpreters[label]
        found += _versions(f" on CPython {_minor(one)}", _packages(one), _packages(two))
    if old.discipline.name != new.discipline.name:
        found.append(f"Different discipline: {old.discipline.name} and {new.discipline.name}.")
    if old.scenario.get("load") != new.scenario.get("load"):
        found.append("The scenarios differ in their load.")
    found += _settings(old, new)
    return list(dict.fromkeys(found))  # contenders share interpreters


def connections(old: SavedRace, new: SavedRace) -> list[str]:
    """Return one sentence for each closed-loop work with other connections in the two races."""
    before, after = _opened(old), _opened(new)
    found = []
    for work in in_order(before.keys() & after.keys(), new.head.discipline):
        one, two = before[work], after[work]
        labels = sorted(label for label in one.keys() & two.keys() if one[label] != two[label])
        if labels:
            found.append(_connections(new.head.discipline, work, one, two, labels))
    return found


def _connections(
    discipline: Discipline,
    work: Work,
    one: Mapping[str, list[int]],
    two: Mapping[str, list[int]],
    labels: list[str],
) -> str:
    used = [" to ".join(map(str, dict.fromkeys(side[labels[0]]))) for side in (one, two)]
    others = f" and {len(labels) - 1} more" if len(labels) > 1 else ""
    where = place(discipline, work)
    return f"Different connections on {where}: {' and '.join(used)} ({labels[0]}{others})."


def _opened(race: SavedRace) -> Opened:
    """Return the fewest and the most connections of cells that count."""
    used: Opened = {}
    for cell in counted(race):
        if cell.load.closed:
            number = cell.connections_used or cell.load.connections
            used.setdefault(cell.work, {}).setdefault(cell.label, []).append(number)
    return {
        work: {label: [min(numbers), max(numbers)] for label, numbers in by_label.items()}
        for work, by_label in used.items()
    }


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


def _differs(name: str, one: Any, two: Any) -> bool:
    """Return whether a fact of the machine differs; memory varies by what the kernel reserves."""
    if name == "memory_bytes" and one and two:
        return bool(abs(one - two) > 0.1 * max(one, two))
    return bool(one != two)


def _minor(interpreter: Interpreter) -> str:
    return ".".join(interpreter.python.split(".")[:2])


def _packages(interpreter: Interpreter) -> dict[str, str]:
    return {"python": interpreter.python, **interpreter.packages}


def _versions(
    where: str, one: Mapping[str, str | None], two: Mapping[str, str | None]
) -> Iterator[str]:
    for name in sorted({*one, *two}):
        if one.get(name) != two.get(name):
            before, after = one.get(name) or "none", two.get(name) or "none"
            yield f"Different {name}{where}: {before} and {after}."
