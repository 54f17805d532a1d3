"""Who drives what: users need a task that they do, a walk needs users, a shape has its own time."""

from __future__ import annotations

from msgspec.structs import replace

from race.errors import RaceError, unknown
from race.web import load as generators
from race.web.load.generator import Shaped
from race.web.scenario import HttpLoad, SiteScenario
from race.web.walks import WALKERS, WALKS


def settled(scenario: SiteScenario) -> SiteScenario:
    """The scenario with what the shape of its crowd says: how long, and how many at most.

    RaceError, one line, where users, tasks and generator do not go together.
    """
    driver, crowd = generators.find(scenario.load.generator), scenario.load.crowd
    if crowd is None or not isinstance(driver, Shaped):
        for task in scenario.tasks:
            if task in WALKS:
                raise RaceError(
                    f"page {task!r} is a walk over several, which takes users: [load] "
                    'generator = "locust", user, shape'
                )
        return scenario
    if crowd.user not in WALKERS:
        raise unknown("user", crowd.user, WALKERS)
    for task in scenario.tasks:
        if task != WALKERS[crowd.user]:
            raise RaceError(
                f"a {crowd.user} does not ask for page {task!r}: pages = [{WALKERS[crowd.user]!r}]"
            )
    curve = driver.curve(crowd)
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
