"""What can race here: server.py's own list of engines, and a scenario's programs."""

from __future__ import annotations

import fnmatch
import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from data_interface import BACKENDS
from race.errors import RaceError, unknown
from race.paths import SERVER
from race.plan.scenario import Scenario
from runtime.paths import ROOT

LIST_SECONDS = 60.0


@dataclass(frozen=True)
class Entry:
    """One engine on one interpreter; `problem` says why it cannot run here, None when it can."""

    engine: str
    python: str
    problem: str | None = None


@dataclass(frozen=True)
class Choice:
    """What a scenario's patterns select: what can run, and what must be left out."""

    runs: list[Entry]
    left_out: list[Entry]


def listed(version: str | None = None) -> list[Entry]:
    """Every engine as server.py sees it, on an interpreter of choice ("3.12")."""
    words = [sys.executable, str(SERVER), "--list", "--json"]
    words += ["--python", version] if version else []
    try:
        answer = subprocess.run(
            words, capture_output=True, text=True, timeout=LIST_SECONDS, cwd=ROOT, check=True
        )
        entries = json.loads(answer.stdout)
    except subprocess.CalledProcessError as error:
        raise RaceError(f"server.py --list failed: {error.stderr.strip()[-200:]}") from None
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise RaceError(f"server.py --list failed: {error}") from None
    return [Entry(one["engine"], one["python"] or version or "?", one["reason"]) for one in entries]


def choose(scenario: Scenario) -> Choice:
    """The entries a scenario names; RaceError when a name or pattern fits no engine."""
    versions = _versions(scenario.pythons)
    catalogues = {version: listed(version) for version in versions}
    programs = [_program(scenario, name) for name in scenario.programs]
    known = [entry.engine for entry in next(iter(catalogues.values()))]
    known += [entry.engine for entry in programs]
    wanted = _matching(scenario, known)
    found = [entry for entries in catalogues.values() for entry in entries] + programs
    unique = {(entry.engine, entry.python): entry for entry in found}
    chosen = [entry for name in wanted for entry in unique.values() if entry.engine == name]
    return Choice(
        [entry for entry in chosen if entry.problem is None],
        [entry for entry in chosen if entry.problem is not None],
    )


def database_of(scenario: Scenario, engine: str) -> str | None:
    """The embedded database that an engine asks; None when it asks none."""
    if engine in scenario.programs:
        return scenario.programs[engine].database
    backend = engine.split("-")[1]
    return BACKENDS[backend].database if backend in BACKENDS else None


def found_pythons() -> list[str]:
    """Versions with an environment of the project, oldest first: `.venv-X.Y` and the current."""
    names = {
        path.parents[1].name.removeprefix(".venv-") for path in ROOT.glob(".venv-3*/bin/python")
    }
    return sorted({*names, current()}, key=lambda name: int(name.split(".")[1]))


def current() -> str:
    """The version that runs the harness, and every engine that needs no other."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def _versions(pythons: Sequence[str]) -> list[str | None]:
    """None stands for the interpreter that server.py chooses."""
    if not pythons:
        return [None]
    found = found_pythons()
    wanted = found if "found" in pythons else list(pythons)
    return [None if version == current() else version for version in wanted]


def _program(scenario: Scenario, name: str) -> Entry:
    version = scenario.programs[name].python or current()
    here = version in found_pythons()
    return Entry(name, version, None if here else f"no environment for CPython {version}: make env")


def _matching(scenario: Scenario, known: Iterable[str]) -> list[str]:
    names = list(dict.fromkeys(known))
    wanted: list[str] = []
    for pattern in scenario.engines:
        fitting = fnmatch.filter(names, pattern)
        if not fitting:
            raise unknown("engine", pattern, names)
        wanted += fitting
    unwanted = {name for pattern in scenario.exclude for name in fnmatch.filter(names, pattern)}
    return [name for name in dict.fromkeys(wanted) if name not in unwanted]
