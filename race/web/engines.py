"""Engines that can race here: server.py's own list, and the programs of a scenario."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain

import msgspec

from databases import DATABASES, find
from race.discipline import Choice
from race.errors import RaceError, unknown
from race.machine.cores import WORKERS, worker_counts
from race.machine.describe import BUILD, PYTHON, current_python
from race.machine.process import last_line
from race.plan.contenders import matching, without_aliases
from race.saved.model import Contender
from race.timeouts import TIMEOUTS
from race.web.catalogue import Catalogue, Entry, read
from race.web.databases import has_server
from race.web.hosts.away import missing_here
from race.web.hosts.checkout import listing
from race.web.levels import facts
from race.web.link import DISTANCE, LINK, level
from race.web.scenario import CORES, SiteScenario
from runtime.interpreters import (
    executable,
    found_builds,
    found_versions,
    no_environment,
    remedy,
)
from runtime.paths import ROOT, extra, make
from runtime.versions import order

SERVER = ROOT / "server.py"
CONTENDER = "engine"
ANOTHER_BUILD = make("env PYTHON=EXECUTABLE BESIDE=NAME") + ", which makes .venv-NAME"
FOUND = "found"
"""Means every interpreter that has an environment."""
NEAR = "a program serves this machine alone, and a party that needs it runs on another one"
RENDER = "render"
"""The factor of how pages become HTML."""


@cache
def catalogue(version: str | None = None, far: bool = False) -> Catalogue:
    """Return server.py's list on an interpreter ("3.12"), asked once for each.

    With `far`, databases are on another machine, and none is missing here.
    """
    words = [sys.executable, str(SERVER), "--list", "--json"]
    words += ["--python", version] if version else []
    elsewhere = {find(name).url_variable: "elsewhere" for name in DATABASES} if far else {}
    try:
        answer = subprocess.run(
            words,
            capture_output=True,
            text=True,
            timeout=TIMEOUTS.engines,
            cwd=ROOT,
            check=True,
            env={**os.environ, **elsewhere},
        )
        listed = json.loads(answer.stdout)
    except subprocess.CalledProcessError as error:
        raise RaceError(f"server.py --list failed: {error.stderr.strip()[-200:]}") from None
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise RaceError(f"server.py --list failed: {error}") from None
    return read(listed)


def choose(scenario: SiteScenario) -> Choice:
    """Return the contenders of a scenario. RaceError if a name or pattern fits no engine."""
    found = _entries(scenario)
    aliases = {one.long_name: one.name for one in found if one.long_name}
    scenario = without_aliases(scenario, (one.name for one in found), aliases, CONTENDER)
    numbers = _workers(scenario)
    only_one = CORES in scenario.workers and numbers == [1]
    scenario = msgspec.structs.replace(scenario, workers=tuple(numbers))
    wanted = matching(scenario, (entry.name for entry in found), CONTENDER)
    chosen = [entry for name in wanted for entry in found if entry.name == name]
    left_out = [f"{one.name}: {one.problem}" for one in chosen if one.problem]
    runs = [entry for entry in chosen if entry.problem is None]
    left_out += [
        f"{one.name}, {render}: {one.no_render[render]}"
        for one in runs
        for render in scenario.render
        if render in one.no_render
    ]
    contenders = [
        _contender(scenario, entry, render, workers, {LINK: more, DISTANCE: far})
        for entry in runs
        for render in _renders(scenario, entry)
        if render not in entry.no_render
        for workers in numbers
        if workers == 1 or _spreads(scenario, entry)
        for more in scenario.link or (None,)
        if not more or has_server(entry.database)
        for far in scenario.distance or (None,)
    ]
    alone = [one for one in runs if max(numbers) > 1 and not _spreads(scenario, one)]
    left_out += [f"{one.name} with more than one worker" for one in alone]
    left_out += ["more than one worker: this machine has one core"] if only_one else []
    near = [one for one in runs if any(scenario.link) and not has_server(one.database)]
    left_out += [f"{one.name} over a link: it has no database server" for one in near]
    return Choice(scenario, contenders, left_out)


def databases(scenario: SiteScenario, contenders: Iterable[Contender]) -> dict[str, str | None]:
    """Return the database of each contender by its name, None if it has none."""
    known = {entry.name: entry.database for entry in _entries(scenario)}
    return {one.name: known.get(one.name) for one in contenders}


def found_pythons() -> list[str]:
    """Return the versions with an environment (`.venv-X.Y`) and the current one, oldest first."""
    names = {*found_versions(), current_python()}
    return sorted(names, key=order)


def _entries(scenario: SiteScenario) -> list[Entry]:
    """Return each engine once on each interpreter, programs last."""
    listed = [one for version in _versions(scenario) for one in _listed(scenario, version)]
    unique = {(one.name, one.factors.get(PYTHON)): one for one in listed}
    built = [
        replace(one, factors={**one.factors, BUILD: build})
        for build in _builds(scenario)
        for one in _listed(scenario, build)
    ]
    programs = [_program(scenario, name) for name in scenario.programs]
    if scenario.hosts.generator or scenario.hosts.server:
        programs = [replace(one, problem=one.problem or NEAR) for one in programs]
    return [*(built or unique.values()), *programs]


def _listed(scenario: SiteScenario, version: str | None) -> Sequence[Entry]:
    """Return the engines of an interpreter where the servers run."""
    if scenario.hosts.server:
        near = not scenario.hosts.database
        return [_far(one, near) for one in _there(scenario.hosts.server).entries]
    return (catalogue(version, True) if scenario.hosts.database else catalogue(version)).entries


@cache
def _there(given: str) -> Catalogue:
    text = listing(given)
    try:
        return read(json.loads(text))
    except ValueError:
        why = last_line(text) or "it prints nothing"
        raise RaceError(f"server.py --list on {given} failed: {why}") from None


def _far(entry: Entry, near: bool) -> Entry:
    """Return an engine of another machine, with a problem if nobody else sees its database, or if
    that is missing here, `near` the harness.
    """
    problem = None
    if has_server(entry.database):
        problem = missing_here(entry.database) if near else None
    elif entry.database is not None:
        problem = f"{entry.database} is a file there"
    return replace(entry, problem=entry.problem or problem)


def _builds(scenario: SiteScenario) -> Sequence[str]:
    """Return the environments of the builds that race; none if builds are no factor."""
    if scenario.builds and scenario.pythons:
        raise RaceError("builds and pythons both choose interpreters: give one of them")
    for folder in scenario.builds:
        if folder != FOUND and not executable(folder).exists():
            raise RaceError(f"no environment in the folder {folder}: run {ANOTHER_BUILD}")
    found = found_builds() if FOUND in scenario.builds else scenario.builds
    if scenario.builds and len(found) < 2:
        raise RaceError(
            f"builds race two or more environments of CPython {current_python()}, and here "
            f"{'is ' + found[0] if found else 'is none'}: for another one {ANOTHER_BUILD}"
        )
    return found


def _versions(scenario: SiteScenario) -> list[str | None]:
    """Return interpreters, None for the one that server.py chooses. RaceError if one is absent."""
    if not scenario.pythons:
        return [None]
    found = found_pythons()
    for version in scenario.pythons:
        if version not in (FOUND, *found):
            raise RaceError(no_environment(version))
    wanted = found if FOUND in scenario.pythons else list(scenario.pythons)
    return [None if version == current_python() else version for version in wanted]


def _program(scenario: SiteScenario, name: str) -> Entry:
    program = scenario.programs[name]
    version = program.python or current_python()
    for factor in program.factors:
        if factor not in catalogue().factors:
            raise unknown(f"factor of program {name}", factor, catalogue().factors)
    problem = None
    if version not in found_pythons():
        problem = f"no environment for CPython {version}: {remedy(version)}"
    elif "{python}" in program.command and all(one.problem for one in catalogue().entries):
        problem = f"no engine is installed: {extra('site')}"
    return Entry(name, {**program.factors, PYTHON: version}, program.database, problem)


def _spreads(scenario: SiteScenario, entry: Entry) -> bool:
    """Return whether several processes can serve it, which takes a database that they share."""
    return entry.name not in scenario.programs and entry.database is not None


def _workers(scenario: SiteScenario) -> list[int]:
    """Return the numbers of workers, with those of this machine's cores in place of `cores`."""
    found = [worker_counts() if one == CORES else [int(one)] for one in scenario.workers]
    return list(dict.fromkeys(chain.from_iterable(found)))


def plain_render() -> str:
    """Return how server.py renders by default."""
    return catalogue().factors[RENDER][0]


def _renders(scenario: SiteScenario, entry: Entry) -> Sequence[str | None]:
    """Return how an engine's pages are rendered in turn; None stands for a program's own way."""
    known = catalogue().factors[RENDER]
    for name in scenario.render:
        if name not in known:
            raise unknown("way to render", name, known)
    return (None,) if entry.name in scenario.programs else scenario.render or known[:1]


def _contender(
    scenario: SiteScenario,
    entry: Entry,
    render: str | None,
    workers: int,
    links: Mapping[str, float | None],
) -> Contender:
    """Return a contender; `links` add so many milliseconds, None where that is no factor."""
    label = entry.name
    if scenario.pythons:
        label += f"@{entry.factors.get(PYTHON)}"
    if BUILD in entry.factors:
        label += f"@{entry.factors[BUILD]}"
    if render not in (None, plain_render()):
        label += f", {render}"
    if scenario.workers != (1,):
        label += f", {workers} worker{'s' * (workers > 1)}"
    rendered = {} if render is None else {RENDER: render}
    linked = {factor: level(more) for factor, more in links.items() if more is not None}
    label += "".join(f", {factor} {more}" for factor, more in linked.items())
    factors = {**entry.factors, **rendered, WORKERS: str(workers), **linked}
    program = scenario.programs.get(entry.name)
    described = program is None or bool(program.factors)
    return Contender(
        label=label,
        name=entry.name,
        factors=factors,
        described=described,
        facts=facts(factors) if program is None else {},
    )
