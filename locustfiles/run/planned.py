"""Makes Locust's own kind of shape from a plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from locust import LoadTestShape

from locustfiles.shapes.plan import ShapePlan, planned
from locustfiles.shapes.totals import Totals


class PlannedShape(LoadTestShape):
    """A shape that follows a plan, which is made from the fields anew at each start."""

    abstract = True
    kind: ClassVar[type[ShapePlan]]
    plan: ShapePlan
    _last: tuple[int, float] = (0, 1.0)

    def reset_time(self) -> None:
        """Begin anew. A master calls this when the shape starts, and again when its run does."""
        super().reset_time()
        self.plan = planned(self.kind, fields_of(self.kind, self._environment()))
        self._last = (0, 1.0)

    def tick(self) -> tuple[int, float] | None:
        """Return users and a rate so high that all of a second's change is there after it."""
        second = int(self.get_run_time())
        self.plan.observe(second, totals_of(self._environment()))
        users = self.plan.users(second)
        if users is None:
            return None
        if users != self._last[0]:
            self._last = (users, float(abs(users - self._last[0])))
        # Locust spawns anew at any other tuple, so this stays the same while nothing changes.
        return self._last

    def _environment(self) -> Any:
        return self.runner.environment  # type: ignore[union-attr]  # Locust sets it


def shape_class(name: str, plan: type[ShapePlan]) -> type[PlannedShape]:
    """Return Locust's class for a plan, under the name that the web page offers."""

    class Shape(PlannedShape):
        __doc__ = plan.__doc__
        kind = plan

    Shape.__name__ = Shape.__qualname__ = name
    return Shape


def fields_of(kind: type[ShapePlan], environment: Any) -> Mapping[str, str]:
    """Return the fields of a kind of plan as they were filled in."""
    filled = vars(environment.parsed_options)
    return {one.name: filled[one.name] for one in kind.FIELDS if one.name in filled}


def totals_of(environment: Any) -> Totals:
    """Return what the site has answered since the run began, on a master as workers report it."""
    total = environment.stats.total
    return Totals(total.num_requests, total.num_failures, dict(total.response_times))
