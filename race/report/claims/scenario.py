"""A check that a run was driven as its scenario in races/ asks.

A run that was changed by hand answers no claim. It may have other rounds: its intervals show them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, pairwise
from typing import Any

from race.analysis.pairing import Run
from race.paths import SCENARIOS
from race.plan.read import toml
from race.saved.head import Head
from race.scenario import LoadPlan

CONNECTIONS = ("connections", "pipelined_connections")
USER_LOAD = ("user", "shape", "shape_options")
"""The keys that decide how long a user load lasts, and how large it is."""
DURATION = "load.duration_s"
FREE = (
    *("rounds", "restart", "title", "baseline", "twin", "exclude", "time_limit_s"),
    *(
        "limits.reruns",
        "limits.quiet_wait_s",
        "limits.pause_s",
        "geometric_mean",
        "load.pipeline",
        "load.concurrency",
    ),
)
"""Keys that change how precise a result is, or what is measured beside it."""


def unlike(run: Run) -> str:
    """Return how a run was not driven as its scenario, in a phrase.

    The phrase is empty where it was, or where nothing says how it should have been.
    """
    head = run.analysis.race.head
    path = SCENARIOS / f"{head.scenario.get('name')}.toml"
    given = head.scenario.get("load") or {}
    wanted = toml(path).get("load", {}) if given and path.exists() else None
    if wanted is None:
        return ""
    compared = _user_load(given, wanted) if "shape" in wanted else _connections(given, wanted)
    first = next(chain(compared, _by_hand(head)), "")
    return f"run {run.name} {first}" if first else ""


def _connections(given: Mapping[str, Any], wanted: Mapping[str, Any]) -> Iterator[str]:
    plan = LoadPlan()
    seconds = wanted.get("duration_s", plan.duration_s)
    if given.get("duration_s", seconds) < seconds:
        cells = f"cells of {given['duration_s']:g} s in place of {seconds:g}"
        yield f"was shorter than its scenario: {cells}"
    for key in CONNECTIONS:
        number = wanted.get(key, getattr(plan, key))
        if given.get(key, number) != number:
            words = key.replace("_", " ")
            yield f"was not as its scenario: {given[key]} {words} in place of {number}"


def _user_load(given: Mapping[str, Any], wanted: Mapping[str, Any]) -> Iterator[str]:
    for key in USER_LOAD:
        if key in given and given[key] != wanted.get(key, given[key]):
            words = key.replace("_", " ")
            yield f"was not as its scenario: {words} {given[key]} in place of {wanted[key]}"


def _by_hand(head: Head) -> Iterator[str]:
    """Yield keys that its command line set; a missing contender or task shows by itself."""
    kind = head.discipline
    free = {*FREE, DURATION, *(f"{kind.contender}s {kind.task}s contenders tasks".split())}
    for option, text in pairwise(head.command):
        if option == "--set" and text.partition("=")[0].strip() not in free:
            yield f"was not as its scenario: it set {text}"
