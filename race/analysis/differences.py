"""What differs between the machines and versions of two races."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from race.saved.model import Environment, Head, Interpreter

_MACHINE = ("cpu", "cores", "kernel", "memory_bytes", "governor")


def differences(old: Head, new: Head) -> list[str]:
    """One sentence for each difference that may explain a change; empty on like machines."""
    before, after = old.environment, new.environment
    found = [*_machine(before, after), *_versions("", before.versions, after.versions)]
    for label in sorted(before.interpreters.keys() & after.interpreters.keys()):
        one, two = before.interpreters[label], after.interpreters[label]
        found += _versions(f" on CPython {_minor(one)}", _packages(one), _packages(two))
    if old.discipline.name != new.discipline.name:
        found.append(f"Different discipline: {old.discipline.name} and {new.discipline.name}.")
    if old.scenario.get("load") != new.scenario.get("load"):
        found.append("The scenarios differ in their load.")
    return list(dict.fromkeys(found))  # contenders share interpreters


def _machine(before: Environment, after: Environment) -> Iterator[str]:
    for name in _MACHINE:
        one, two = getattr(before, name), getattr(after, name)
        if _differs(name, one, two):
            yield f"Different {name.replace('_bytes', '')}: {one} and {two}."


def _differs(name: str, one: Any, two: Any) -> bool:
    """Memory varies by what the kernel keeps for itself; a tenth is a different machine."""
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
