"""A plan as Locust's own kind of shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from locust import LoadTestShape

from locustfiles.shapes.load import Load
from locustfiles.shapes.plan import Plan, planned


class PlannedShape(LoadTestShape):
    """Follows a plan, which is made of the fields anew at each start."""

    abstract = True
    kind: ClassVar[type[Plan]]
    plan: Plan
    _last: tuple[int, float] = (0, 1.0)

    def reset_time(self) -> None:
        """See Locust: called when the shape starts, by a master once more when its run does."""
        super().reset_time()
        self.plan = planned(self.kind, fields_of(self.kind, self._environment()))
        self._last = (0, 1.0)

    def tick(self) -> tuple[int, float] | None:
        """See Locust. The rate is so high that what changes within a second is there after it."""
        second = int(self.get_run_time())
        self.plan.look(second, load_of(self._environment()))
        users = self.plan.users(second)
        if users is None:
            return None
        if users != self._last[0]:
            self._last = (users, float(abs(users - self._last[0])))
        # The same tuple as long as nothing changes: Locust starts users anew at any other.
        return self._last

    def _environment(self) -> Any:
        return self.runner.environment  # type: ignore[union-attr]  # Locust sets it


def shape_class(name: str, plan: type[Plan]) -> type[PlannedShape]:
    """Locust's class for a plan, under the name that the web page offers."""

    class Shape(PlannedShape):
        __doc__ = plan.__doc__
        kind = plan

    Shape.__name__ = Shape.__qualname__ = name
    return Shape


def fields_of(kind: type[Plan], environment: Any) -> Mapping[str, str]:
    """The fields of a kind of plan as they were filled in."""
    filled = vars(environment.parsed_options)
    return {one.name: filled[one.name] for one in kind.FIELDS if one.name in filled}


def load_of(environment: Any) -> Load:
    """What the site has answered since the run began; a master counts its workers' reports."""
    total = environment.stats.total
    return Load(total.num_requests, total.num_failures, dict(total.response_times))
