"""Scenarios of the toolbench: drivers on operations."""

from __future__ import annotations

from msgspec import field

from race.scenario import Names, Scenario
from race.web.scenario import HttpLoad


class ToolsScenario(Scenario, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`drivers` are names or patterns of what is measured, `operations` what it does."""

    contenders: Names = field(name="drivers")
    tasks: Names = field(name="operations")
    load: HttpLoad = HttpLoad()
