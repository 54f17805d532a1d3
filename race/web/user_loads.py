"""Checks that users, tasks and generator go together, and completes the load from its shape."""

from __future__ import annotations

from msgspec.structs import replace

from race import load as generators
from race.errors import RaceError, unknown
from race.load.generator import Shaped
from race.web.scenario import HttpLoad, SiteScenario
from race.web.tasks import MIXES, USER_TASKS


def completed(scenario: SiteScenario) -> SiteScenario:
    """Return the scenario with the length of a cell and the most users, as the shape says.

    RaceError, one line, if users, tasks and generator do not go together.
    """
    driver, user_load = generators.find(scenario.load.generator), scenario.load.user_load
    if user_load is None or not isinstance(driver, Shaped):
        for task in scenario.tasks:
            if task in MIXES:
                raise RaceError(
                    f"page {task!r} is a mix of several, which takes users: [load] "
                    'generator = "locust", user, shape'
                )
        return scenario
    user = user_load.user
    if user not in USER_TASKS:
        raise unknown("user", user, USER_TASKS)
    known = USER_TASKS[user]
    for task in scenario.tasks:
        if task != known:
            raise RaceError(f"a {user} does not ask for page {task!r}: pages = [{known!r}]")
    curve = driver.curve(user_load)
    return replace(scenario, load=_filled(scenario.load, float(len(curve)), max(curve, default=1)))


def _filled(load: HttpLoad, seconds: float, users: int) -> HttpLoad:
    """Fill in length and connections. RaceError if the scenario asks for others."""
    plain, most = HttpLoad(), max(1, users)
    if load.duration_s not in (plain.duration_s, seconds):
        raise RaceError(
            f"a cell of {load.duration_s:g} s: the shape {load.shape} lasts {seconds:g} s, which "
            "load.shape_options change"
        )
    if load.connections not in (plain.connections, most):
        raise RaceError(
            f"{load.connections} connections: the shape {load.shape} has up to {most} users, which "
            "load.shape_options change"
        )
    return replace(load, duration_s=seconds, connections=most)
