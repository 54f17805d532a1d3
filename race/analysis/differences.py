"""What differs between the machines and versions of two runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from race.saved.reader import Head

_MACHINE = ("cpu", "cores", "kernel", "memory_bytes", "governor")


def differences(old: Head, new: Head) -> list[str]:
    """One sentence for each difference that may explain a change; empty on like machines."""
    before, after = old.environment, new.environment
    found = [
        f"Different {name.replace('_bytes', '')}: {before.get(name)} and {after.get(name)}."
        for name in _MACHINE
        if _differs(name, before.get(name), after.get(name))
    ]
    found += _versions("", before.get("versions"), after.get("versions"))
    pythons = (_interpreters(before), _interpreters(after))
    for name in sorted(pythons[0].keys() & pythons[1].keys()):
        one, two = pythons[0][name], pythons[1][name]
        found += _versions(f" on CPython {name}", _packages(one), _packages(two))
    if old.scenario.get("load") != new.scenario.get("load"):
        found.append("The scenarios differ in their load.")
    return found


def _differs(name: str, one: Any, two: Any) -> bool:
    """Memory varies by what the kernel keeps for itself; a tenth is a different machine."""
    if name == "memory_bytes" and one and two:
        return bool(abs(one - two) > 0.1 * max(one, two))
    return bool(one != two)


def _interpreters(environment: Mapping[str, Any]) -> Mapping[str, Any]:
    return environment.get("interpreters") or {}


def _packages(interpreter: Mapping[str, Any]) -> dict[str, Any]:
    return {"python": interpreter.get("python"), **(interpreter.get("packages") or {})}


def _versions(
    where: str, one: Mapping[str, Any] | None, two: Mapping[str, Any] | None
) -> list[str]:
    one, two = one or {}, two or {}
    return [
        f"Different {name}{where}: {one.get(name) or 'none'} and {two.get(name) or 'none'}."
        for name in sorted({*one, *two})
        if one.get(name) != two.get(name)
    ]
