"""The interpreter that serves an engine, and whether the engine can run on this machine."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional

from databases import find as find_database
from handlers.engine import Engine, spoken
from handlers.render import RENDERERS
from runtime.interpreters import (
    Probe,
    current_version,
    environment,
    executable,
    found_versions,
    no_environment,
    remedy,
    version_of,
)
from runtime.versions import is_free_threaded, is_minor, minor


class InterpreterError(Exception):
    """No interpreter can serve the engine; the message is one line that says what to do."""


def wanted_version(engine: Engine, asked: Optional[str]) -> Optional[str]:
    """Return the environment that serves the engine: "3.7" for .venv-3.7, None for the current one.

    It is the one that the user asked for, or the current one if it suits, or one that suits. What
    the user asked for may be the folder of an environment too.
    """
    current = current_version()
    version = asked if not asked or is_minor(asked) else version_of(environment(asked))
    if version and not engine.suits(version):
        message = f"{engine.name} runs on CPython {spoken(engine.python)}, not {version}"
        raise InterpreterError(message)
    if asked:
        return None if asked == current and not executable(asked).exists() else asked
    if engine.suits(current):
        return None
    found = [version for version in found_versions() if engine.suits(version)]
    return found[0] if found else engine.python.rstrip("+")


def find(engine: Engine, asked: Optional[str]) -> Path:
    """Return the executable that serves the engine, or raise InterpreterError."""
    version = wanted_version(engine, asked)
    python = executable(version)
    if python.exists():
        return python
    if version is None and Probe(Path(sys.executable), engine.needs).lacks(engine.needs) == []:
        return Path(sys.executable)
    raise InterpreterError(no_environment(version))


class Availability:
    """The availability of engines on this machine, found out once for ``--list``."""

    def __init__(self, engines: List[Engine], asked: Optional[str]) -> None:
        modules = {name for part in RENDERERS.values() for name in part.needs}
        modules.update(name for engine in engines for name in engine.needs)
        self._asked = asked
        self._missing: Dict[str, Optional[str]] = {}
        versions = {self._version(engine) for engine in engines} | {None}
        self._probes = {version: Probe(executable(version), modules) for version in versions}
        if self._probes[None].version is None:
            self._probes[None] = Probe(Path(sys.executable), modules)

    def describe(self, engine: Engine) -> Dict[str, Any]:
        """Return the engine's entry; ``reason`` says what to install if it does not run.

        {"engine", "long_name", "runs", "reason", "python", "database", "gaps", "factors",
        "no_render"}, where the last has the ways to render that it lacks, with the reason of each.
        """
        try:
            version = wanted_version(engine, self._asked)
        except InterpreterError as error:
            return _entry(engine, str(error), None, {})
        probe = self._probes[version]
        reason = self._obstacle(engine, probe, version)
        return _entry(engine, reason, probe.version, _no_render(probe, version))

    def _version(self, engine: Engine) -> Optional[str]:
        with contextlib.suppress(InterpreterError):
            return wanted_version(engine, self._asked)
        return None

    def _obstacle(self, engine: Engine, probe: Probe, version: Optional[str]) -> Optional[str]:
        if probe.version is None:
            return f"no environment for CPython {version or '3.11+'}: {remedy(version)}"
        lacking = probe.lacks(engine.needs)
        if lacking:
            return _not_installed(lacking, probe, version)
        return self._server_obstacle(engine)

    def _server_obstacle(self, engine: Engine) -> Optional[str]:
        name = engine.plugins[1].database
        if name is None:
            return None
        if name not in self._missing:
            self._missing[name] = _missing(name)
        return self._missing[name]


def _missing(name: str) -> Optional[str]:
    """Return why a database cannot be used here, or None if it can."""
    database = find_database(name)
    if os.environ.get(database.url_variable):
        return None
    missing = database.missing()
    return missing and f"{missing}, or set {database.url_variable}"


def _not_installed(lacking: List[str], probe: Probe, version: Optional[str]) -> str:
    text = f"not installed: {', '.join(lacking)}"
    if is_free_threaded(probe.version or ""):
        return f"{text}: not in requirements/threads.in"
    return f"{text}: {remedy(version)}"


def _no_render(probe: Probe, version: Optional[str]) -> Dict[str, str]:
    """Return the ways to render that an interpreter lacks, with the reason of each."""
    found: Dict[str, str] = {}
    for name, plugin in RENDERERS.items() if probe.version else ():
        lacking = probe.lacks(plugin.needs)
        if not plugin.suits(probe.version or ""):
            found[name] = f"runs on CPython {spoken(plugin.python)}"
        elif lacking:
            found[name] = _not_installed(lacking, probe, version)
    return found


def _entry(
    engine: Engine, reason: Optional[str], python: Optional[str], no_render: Dict[str, str]
) -> Dict[str, Any]:
    return {
        "engine": engine.name,
        "long_name": engine.long_name,
        "runs": reason is None,
        "reason": reason,
        "python": python,
        "database": engine.plugins[1].database,
        "gaps": engine.gaps,
        "factors": dict(engine.factors, python=python and minor(python)),
        "no_render": no_render,
    }
