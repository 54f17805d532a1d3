"""Texts about a race that has not begun: its scenario, its contenders, how long it takes."""

from __future__ import annotations

from collections.abc import Iterator

from race.analysis.values import load_text
from race.plan.forecast import Plan
from race.scenario import Scenario
from race.terminal.phrases import forecast_text
from race.terminal.say import held


def plan_text(plan: Plan) -> Iterator[str]:
    """Return the lines of a dry run, for `tell`, which breaks no label."""
    scenario = plan.scenario
    works = (f"{one.task} ({load_text(one.load, plan.discipline.unit)})" for one in plan.works)
    yield title_text(scenario)
    yield "contenders: " + "; ".join(held(one.label) for one in plan.contenders)
    yield "cells of each: " + "; ".join(works)
    if scenario.open_loop:
        yield "after the first round: fixed rates, from the capacities it finds"
    how = f"a calibration, then {plan.cells} cells in {rounds_text(scenario)}"
    yield f"{how}: {forecast_text(plan)}"


def scenario_text(scenario: Scenario) -> Iterator[str]:
    """Return what a scenario asks for, where nothing is known of what can run."""
    yield title_text(scenario)
    yield "contenders: " + ", ".join(scenario.contenders)
    yield "cells of each: " + ", ".join(scenario.tasks)
    yield f"a calibration, then {rounds_text(scenario)}"


def title_text(scenario: Scenario) -> str:
    """Return the name of a scenario and its question."""
    return f"{scenario.name}: {scenario.title}"


def rounds_text(scenario: Scenario) -> str:
    """Return how many rounds are planned."""
    return f"{scenario.rounds} round{'s' * (scenario.rounds != 1)}"
