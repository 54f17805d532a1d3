"""What `race doctor` says of the site: generators, databases, engines."""

from __future__ import annotations

import os
from collections.abc import Mapping

from databases import DATABASES, find
from race.discipline import Finding
from race.web import engines
from race.web import load as generators
from race.web.load import GENERATORS

DEFAULT_GENERATOR = "wrk"


def findings(versions: Mapping[str, str | None]) -> list[Finding]:
    """A line each; None where something is absent that only some races need."""
    return [*_generators(versions), *_databases(versions), *_engines()]


def _generators(versions: Mapping[str, str | None]) -> list[Finding]:
    found: list[Finding] = []
    for name in GENERATORS:
        missing = generators.find(name).missing()
        good = True if missing is None else False if name == DEFAULT_GENERATOR else None
        found.append(Finding(name, good, missing or f"version {versions[name]}"))
    return found


def _databases(versions: Mapping[str, str | None]) -> list[Finding]:
    found: list[Finding] = []
    for name in DATABASES:
        variable = find(name).url_variable
        if os.environ.get(variable):
            found.append(Finding(name, True, f"the one that {variable} names"))
            continue
        missing = find(name).missing()
        found.append(Finding(name, missing is None, missing or f"version {versions[name]}"))
    return found


def _engines() -> list[Finding]:
    entries = engines.catalogue().entries
    runs = sum(one.problem is None for one in entries)
    problems = sorted({one.problem for one in entries if one.problem})
    pythons = ", ".join(engines.found_pythons())
    more = f'{pythons}; more with make env PYTHONS="3.8 3.12"'
    return [
        Finding("engines", runs > 0, f"{runs} of {len(entries)} run here"),
        *(Finding("engines", None, f"left out: {problem}") for problem in problems),
        Finding("interpreters", True, more),
    ]
