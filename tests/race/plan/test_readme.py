"""README says of every scenario how long it takes: what the plan says by default figures."""

from __future__ import annotations

import math
import re

import pytest

from race.discipline import discipline
from race.plan import read
from race.plan.contenders import with_twin
from race.plan.forecast import Plan
from race.scenario import Scenario
from race.terminal.phrases import duration
from race.web.scenario import SiteScenario
from race.web.user_loads import settled
from runtime.paths import ROOT
from tests.support import records
from toolbench.contenders import lacking, raced
from toolbench.scenario import ToolsScenario

ROW = re.compile(r"^\| `([\w-]+)` \| [^|]+ \| ([\d.]+ (?:minutes|seconds))[^|]*\|$", re.MULTILINE)
TOLD = dict(ROW.findall((ROOT / "README.md").read_text()))


def ways(scenario: Scenario) -> int:
    """How often each contender races; of the interpreters that are found README counts two."""
    levels = [len(getattr(scenario, key, ())) or 1 for key in ("render", "workers", "link")]
    pythons = getattr(scenario, "pythons", ())
    return math.prod(levels) * (2 if "found" in pythons else len(pythons) or 1)


def planned(scenario: Scenario) -> Plan:
    """As where everybody that it names can run."""
    if isinstance(scenario, ToolsScenario):
        found = [one for name in scenario.contenders for one in raced(scenario, name)]
        cannot = {one.label: lacking(scenario, one.name) for one in found}
        kind = discipline(scenario.discipline)
        return Plan(kind, scenario, with_twin(scenario, found), [], cannot=cannot)
    assert not re.search(r"[*?\[]", "".join(scenario.contenders))
    labels = [f"{name}, {way}" for name in scenario.contenders for way in range(ways(scenario))]
    contenders = with_twin(scenario, [records.contender(label) for label in labels])
    if isinstance(scenario, SiteScenario):
        scenario = settled(scenario)
    return Plan(discipline(scenario.discipline), scenario, contenders, [])


def test_every_scenario_has_a_row() -> None:
    assert sorted(TOLD) == read.names()


@pytest.mark.parametrize("name", read.names())
def test_a_row_is_the_forecast(name: str) -> None:
    assert TOLD[name] == duration(planned(read.load(name)).seconds())
