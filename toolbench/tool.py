"""Kinds of drivers: how each is found on this machine, and what starts its runner.

Runs on CPython 3.7, too.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from dataclasses import dataclass, field
from functools import lru_cache
from typing import List, Mapping, Optional, Tuple

from databases import find
from runtime.interpreters import Probe, executable, remedy
from runtime.paths import extra
from runtime.plugin import Plugin
from toolbench.languages import LANGUAGES, MAKE

Levels = Mapping[str, Tuple[str, ...]]
"""Factor to the levels of a driver, its plainest first."""

LOOP, STATEMENTS, TRANSPORT, FORMAT = "loop", "statements", "transport", "format"
PROGRAM = "program"
PREPARED, UNPREPARED = "prepared", "unprepared"
PLAIN, ARTICLE = "plain", "article"
WORKLOAD = "workload"
"""The kind of an operation that a mapper does as a whole."""
RUNNER, WRK = GENERATORS = ("runner", "wrk")
"""Load generators: the driver's own process, one operation after another; wrk for pages."""

FACTORS: Levels = {
    TRANSPORT: ("unix", "tcp"),
    STATEMENTS: (PREPARED, UNPREPARED),
    FORMAT: ("text", "binary"),
    LOOP: ("asyncio", "uvloop", "threads", "goroutines", "libuv"),
    PROGRAM: (PLAIN, ARTICLE),
}
"""All levels, the plainest first; a label names them in this order."""

START_DRIVER = Plugin("toolbench.subject:start")
START_WORKLOAD = Plugin("toolbench.sqlalchemy.subject:start")


@dataclass(frozen=True)
class Tool(Plugin):
    """A Python driver: ``target`` is a ``driver.MeasuredDriver``, ``needs`` are its modules.

    ``levels`` leaves out the transport, which depends on the server. ``cannot`` maps each kind of
    operation that the driver has no call for to the reason. ``gives`` maps a database type to the
    tag that users of this driver get by design, if that is not the natural one, ``gives_binary``
    where rows are binary by choice. ``text`` describes
    the driver in reports, where ``called`` takes the place of its name. ``subject`` starts it as a
    contender, which ``generator`` drives; its program takes ``options``.
    """

    database: str = "postgres"
    levels: Levels = field(default_factory=dict)
    cannot: Mapping[str, str] = field(default_factory=dict)
    gives: Mapping[str, str] = field(default_factory=dict)
    gives_binary: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    called: str = ""
    subject: Plugin = START_DRIVER
    generator: str = RUNNER
    options: Tuple[str, ...] = ()

    def command(self) -> List[str]:
        """Return the command that starts the runner."""
        python = executable(self.python) if self.python else sys.executable
        return [str(python), "-m", "toolbench.runner"]

    def lacks(self, kind: str) -> Optional[str]:
        """Return why the driver does no operations of a kind; None if it does."""
        return "it maps no objects" if kind == WORKLOAD else self.cannot.get(kind)

    def not_installed(self) -> Optional[str]:
        """Return what of the driver is not installed, and the command that installs it."""
        if self.python and not executable(self.python).exists():
            return f"no environment for CPython {self.python}: {remedy(self.python)}"
        missing = _missing(self.python, self.needs)
        return f"not installed ({', '.join(missing)}): {extra('toolbench')}" if missing else None

    def problem(self) -> Optional[str]:
        """Return why the driver cannot be measured here, and what to do; None if it can."""
        database = find(self.database)
        own_server = bool(os.environ.get(database.url_variable))
        return self.not_installed() or (None if own_server else database.missing())


@dataclass(frozen=True)
class Mapper(Tool):
    """An object-relational mapper, which does a whole workload and nothing else."""

    subject: Plugin = START_WORKLOAD

    def command(self) -> List[str]:
        return [*super().command()[:-1], "toolbench.sqlalchemy"]

    def lacks(self, kind: str) -> Optional[str]:
        return None if kind == WORKLOAD else "it is measured by its workload alone"


@dataclass(frozen=True)
class ForeignTool(Tool):
    """A driver of another language: ``target`` is in ``LANGUAGES``, ``needs`` are its packages."""

    def command(self) -> List[str]:
        return LANGUAGES[self.target].command

    def not_installed(self) -> Optional[str]:
        language = LANGUAGES[self.target]
        problem = language.problem()
        if problem:
            return problem
        missing = [name for name in self.needs if not (language.built / name).exists()]
        return f"not installed ({', '.join(missing)}): {MAKE}" if missing else None


@lru_cache(maxsize=None)
def _missing(version: str, modules: Tuple[str, ...]) -> Tuple[str, ...]:
    """Return the modules that an interpreter cannot import; "" is this interpreter."""
    if version:
        return tuple(Probe(executable(version), modules).lacks(modules))
    return tuple(name for name in modules if importlib.util.find_spec(name) is None)
