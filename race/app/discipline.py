"""The discipline of an application: servers that are commands, on requests that are data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from msgspec.structs import replace

from race import load as generators
from race.app import contenders, requests, subject
from race.app.commits import checkouts
from race.app.contenders import CONTENDER
from race.app.database import state
from race.app.scenario import MIX, OHA, VEGETA, WRK, AppScenario, level_name
from race.app.subject import PARTIES
from race.discipline import Choice, Finding, Start, Task
from race.errors import RaceError
from race.machine.describe import number, output
from race.saved.model import Contender


class AppDiscipline:
    """Any HTTP server as `discipline.Discipline` asks for it."""

    unit = "requests"
    contender = CONTENDER
    task = "request"
    parties = PARTIES
    scenario = AppScenario

    def headline(self, scenario: AppScenario) -> str:
        """Return the mix, or the first request where there is none."""
        return MIX if MIX in scenario.tasks else scenario.tasks[0]

    def factors(self, scenario: AppScenario) -> Mapping[str, Sequence[str]]:
        """Return the scenario's factors with their levels."""
        return {
            factor: [level_name(factor, level) for level in levels]
            for factor, levels in scenario.levels.items()
        }

    def tasks(self, scenario: AppScenario) -> Mapping[str, Task]:
        """Return the scenario's requests, and the mix of all."""
        each = {
            one.name: Task(one.name, text=f"{one.method} {one.path}.") for one in scenario.requests
        }
        weights = ", ".join(f"{one.name} {one.weight:g}" for one in scenario.requests)
        return {**each, MIX: Task("Mix", text=f"All requests, by weight: {weights}.")}

    def level_texts(self, scenario: AppScenario) -> Mapping[str, Mapping[str, str]]:
        """Return the text of each level where it is not the level's name."""
        return {
            factor: {
                level_name(factor, level): text for level, text in levels.items() if text != level
            }
            for factor, levels in scenario.levels.items()
        }

    def choose(self, scenario: AppScenario) -> Choice:
        """Return the servers that race. RaceError if a generator is missing or cannot do it."""
        opens = scenario.load.open_generator
        for name in (WRK, *([opens] if scenario.open_loop else [])):
            if missing := generators.find(name).missing():
                raise RaceError(missing)
        if not Path(scenario.folder).is_dir():
            raise RaceError(f"{scenario.folder} is no folder")
        if scenario.database and (lacking := state.missing(scenario.database)):
            raise RaceError(lacking)
        for task, drawn in requests.tasks(scenario).items():
            if scenario.open_loop and opens == OHA and (len(drawn) > 1 or not drawn[0].plain):
                why = f"{OHA} sends nothing but a GET without values and headers"
                raise RaceError(f"request {task!r}: {why}: leave out load.open_generator")
        if scenario.commits and not isinstance(scenario.commits, Mapping):
            commits = checkouts.resolved(Path(scenario.folder), scenario.commits)
            scenario = replace(scenario, commits=commits)
        return Choice(scenario, contenders.choose(scenario))

    def open(
        self, scenario: AppScenario, contenders: Sequence[Contender]
    ) -> AbstractContextManager[Start]:
        """Build the contenders, and compare their answers before anything is timed."""
        return subject.opened(scenario, contenders)

    def versions(self) -> Mapping[str, str | None]:
        """Return the versions of the load generators."""
        found = {name: generators.find(name) for name in (WRK, VEGETA, OHA)}
        return {
            name: None if one.missing() else number(output(list(one.version), any_exit=True))
            for name, one in found.items()
        }

    def findings(self) -> Sequence[Finding]:
        """Return nothing: `race doctor` looks at the generators for the site."""
        return ()
