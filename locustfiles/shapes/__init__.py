"""Load shapes: how many users there are in each second of a run.

`SHAPES` is the registry, in the order of the documents and of the page: a new shape is one file
with a `ShapePlan` and one line here. No shape knows Locust; `run.planned` makes Locust's classes.
"""

from __future__ import annotations

from locustfiles.shapes.plan import ShapePlan
from locustfiles.shapes.ramp import Ramp
from locustfiles.shapes.soak import Soak
from locustfiles.shapes.spike import Spike
from locustfiles.shapes.steps import Steps
from locustfiles.shapes.trace import Trace
from locustfiles.shapes.wave import Wave

SHAPES: dict[str, type[ShapePlan]] = {
    "Steps": Steps,
    "Spike": Spike,
    "Wave": Wave,
    "Soak": Soak,
    "Ramp": Ramp,
    "Trace": Trace,
}
