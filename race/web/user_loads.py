"""Who drives what: users need a task that they do, a walk needs users, a shape has its own time."""

from __future__ import annotations

from msgspec.structs import replace

from race.errors import RaceError, unknown
from race.web import load as generators
from race.web.load.generator import Shaped
from race.web.scenario import HttpLoad, SiteScenario
from race.web.walks import WALKERS, WALKS


def settled(scenario: SiteScenario) -> SiteScenario:
    """The scenario with what the shape of its user load says: how long, and how many at most.

    RaceError, one line, where users, tasks and generator do not go together.
    """
    driver, user_load = generators.find(scenario.load.generator), scenario.load.user_load
    if user_load is None or not isinstance(driver, Shaped):
        for task in scenario.tasks:
            if task in WALKS:
                raise RaceError(
                    f"page {task!r} is a walk over several, which takes users: [load] "
                    'generator = "locust", user, shape'
                )
        return scenario
    user = user_load.user
    if user not in WALKERS:
        raise unknown("user", user, WALKERS)
    for task in scenario.tasks:
        if task != WALKERS[user]:
            raise RaceError(f"a {user} does not ask for page {task!r}: pages = [{WALKERS[user]!r}]")
    curve = driver.curve(user_load)
    return replace(scenario, load=_filled(scenario.load, float(len(curve)), max(curve, default=1)))


def _filled(load: HttpLoad, seconds: float, users: int) -> HttpLoad:
    """RaceError where something else was asked for than the shape has."""
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
