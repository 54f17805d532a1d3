"""The findings of `race doctor` about the site: generators, databases, engines."""

from __future__ import annotations

import os
from collections.abc import Container, Mapping, Sequence

from databases import DATABASES, find
from race import load as generators
from race.discipline import Finding
from race.load import GENERATORS
from race.plan import read
from race.plan.contenders import matching
from race.scenario import DEFAULT_SCENARIO
from race.web import engines
from race.web.catalogue import Entry
from race.web.engines import CONTENDER
from runtime.paths import INSTALLED, extra, make


def findings(versions: Mapping[str, str | None]) -> list[Finding]:
    """Return a line for each; its state is None if only some races need what is absent."""
    scenario, entries = read.load(DEFAULT_SCENARIO), engines.catalogue().entries
    if INSTALLED and all(one.problem for one in entries):
        absent = Finding("the site", None, f"its engines are not installed: {extra('site')}")
        return [*_generators(versions, scenario.load.generator), absent]
    names = matching(scenario, (one.name for one in entries), CONTENDER)
    raced = [one for one in entries if one.name in names]
    return [
        *_generators(versions, scenario.load.generator),
        *_databases(versions, {one.database for one in raced}),
        _default_race(raced),
        *_engines(entries),
    ]


def _generators(versions: Mapping[str, str | None], needed: str) -> list[Finding]:
    found: list[Finding] = []
    for name in GENERATORS:
        missing = generators.find(name).missing()
        found.append(_part(name, missing, versions, name == needed))
    return found


def _databases(versions: Mapping[str, str | None], needed: Container[str | None]) -> list[Finding]:
    found: list[Finding] = []
    for name in DATABASES:
        variable = find(name).url_variable
        if os.environ.get(variable):
            found.append(Finding(name, True, f"the one that {variable} names", name in needed))
        else:
            found.append(_part(name, find(name).missing(), versions, name in needed))
    return found


def _part(
    name: str, missing: str | None, versions: Mapping[str, str | None], needed: bool
) -> Finding:
    """Return the finding about a program: its version, or how to install it."""
    if missing is None:
        return Finding(name, True, f"version {versions[name]}", needed)
    return Finding(name, False if needed else None, missing, needed)


def _default_race(raced: Sequence[Entry]) -> Finding:
    """Return the finding about the default race, which needs one of its engines at least."""
    left_out = [f"{one.name}: {one.problem}" for one in raced if one.problem]
    runs = len(raced) - len(left_out)
    text = "; ".join([f"{runs} of {len(raced)} engines of `race run` run here", *left_out])
    return Finding("default race", runs > 0, text, True)


def _engines(entries: Sequence[Entry]) -> list[Finding]:
    runs = sum(one.problem is None for one in entries)
    problems = sorted({one.problem for one in entries if one.problem})
    pythons = ", ".join(engines.found_pythons())
    more = make('env PYTHONS="3.8 3.12"')
    return [
        Finding("engines", runs > 0, f"{runs} of {len(entries)} run here"),
        *(Finding("engines", None, f"left out: {problem}") for problem in problems),
        Finding("interpreters", True, f"{pythons}; more with {more}"),
    ]
