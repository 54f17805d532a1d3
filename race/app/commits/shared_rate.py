"""The rate at which both commits are driven, so that their p99 can be compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from race.errors import RaceError
from race.plan import read
from race.run import race
from race.scenario import Scenario

Setting = tuple[str, Any, str]
"""A key of a scenario, its value, and both as they are typed."""

SHARE, SECONDS = 0.6, 1.0
"""The share of what the slower commit can do, and the length of a cell."""
CLOSED_TOO: Setting = ("load.closed_too", True, "load.closed_too=true")
SETTINGS: list[Setting] = [
    ("load.rates_of_slowest", [SHARE], f"load.rates_of_slowest=[{SHARE}]"),
    CLOSED_TOO,
    ("load.open_duration_s", SECONDS, f"load.open_duration_s={SECONDS}"),
]


def settings(scenario: Scenario, given: Sequence[Setting]) -> tuple[list[Setting], str]:
    """Return what adds cells at one shared rate to a scenario, and why there are none, or "".

    A scenario keeps rates of its own, and those that were `given`, if none at all.
    """
    if scenario.open_loop or any(key.startswith("load.rates") for key, *_ in given):
        return [CLOSED_TOO], ""
    try:
        race.prepare(read.change(scenario, {key: value for key, value, _ in SETTINGS}))
    except RaceError as error:
        return [], f"p99 is left out: {error}"
    return SETTINGS, ""
