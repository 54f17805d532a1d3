"""Runners that tests ask directly, as docs/adding-a-driver.md describes."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest

from databases import find
from race.errors import CellFailed
from runtime.paths import ROOT
from tests.conftest import absent
from tests.support.site_server import Databases, until
from toolbench import transport
from toolbench.drivers import DRIVERS
from toolbench.languages import LANGUAGES
from toolbench.runner_process import RunnerProcess
from toolbench.tool import FORMAT, LOOP, PREPARED, STATEMENTS, Tool

SECONDS = 30.0
NAMES = [
    name
    for name, tool in DRIVERS.items()
    if tool.database == "postgres" and not tool.lacks("query")
]
FOREIGN = {
    language: [name for name, tool in DRIVERS.items() if tool.target == language]
    for language in LANGUAGES
}
"""The drivers of each other language."""
LAST = ("end", "EOF", "SIGTERM")
"""Ways to end a runner."""
ONE_OF_EACH = ("asyncpg", "psycopg2", "pgx", "node-pg")
"""An asynchronous and a blocking driver of Python, one of Go and one of Node."""


@dataclass
class Runner:
    """A runner's process, and the address of its database."""

    name: str
    process: RunnerProcess
    address: Mapping[str, Any]

    @property
    def tool(self) -> Tool:
        return DRIVERS[self.name]

    def ask(self, does: str, **words: Any) -> dict[str, Any]:
        return self.process.ask({"do": does, **words}, SECONDS)

    def open(self, prepared: bool | None = None, **other: Any) -> dict[str, Any]:
        return self.ask("open", **{**self.opening(prepared), **other})

    def opening(self, prepared: bool | None = None) -> dict[str, Any]:
        """Return the first question, at the driver's plainest levels."""
        plainest = {factor: levels[0] for factor, levels in self.tool.levels.items()}
        if prepared is None:
            prepared = plainest.get(STATEMENTS) == PREPARED
        options = {
            "prepared": prepared,
            "loop": plainest.get(LOOP, ""),
            "format": plainest.get(FORMAT, ""),
        }
        return {"driver": self.name, "address": self.address, "options": options}

    def check(self, operation: Mapping[str, Any]) -> dict[str, Any]:
        return self.ask("check", operation=operation)

    def drive(
        self, name: str, seconds: float, concurrency: int, overtime: float = 5.0
    ) -> dict[str, Any]:
        words = {"operation": name, "seconds": seconds, "concurrency": concurrency}
        return self.ask("drive", overtime=overtime, **words)

    def refuses(self, does: str, **words: Any) -> None:
        """Check that the answer is an error in one line, and that the runner goes on."""
        with pytest.raises(CellFailed) as raised:
            self.ask(does, **words)
        text = str(raised.value)
        assert text
        assert "\n" not in text
        assert len(text) <= 200
        assert self.process.child.running()


@contextmanager
def started(name: str, databases: Databases) -> Iterator[Runner]:
    """Start a runner for the length of a block; skip the test if it is not installed."""
    tool = DRIVERS[name]
    if problem := tool.not_installed():
        absent(f"{name}: {problem}")
    address = find(tool.database).address(databases.hold(tool.database))
    process = RunnerProcess(tool.command(), frozenset())
    try:
        yield Runner(name, process, transport.message(tool.database, address))
    finally:
        process.child.end()


def operation(kind: str, sql: str = "", **more: Any) -> dict[str, Any]:
    """Return an operation as the harness sends it."""
    least = {"name": kind, "kind": kind, "sql": sql, "args": [], "columns": [], "table": ""}
    return {**least, "records": [], **more}


ONE = operation("query", "select 1 + 1 as two", name="one", columns=[["two", "int4"]])


def connections(reference: psycopg.Connection) -> set[int]:
    """Return the connections that the database has, by their process ids."""
    asked = "select pid from pg_stat_activity where backend_type = 'client backend'"
    return {pid for (pid,) in reference.execute(asked)}


def ends(name: str, last: str, databases: Databases, reference: psycopg.Connection) -> None:
    """Check that a runner which is told to end does so in order, with its connections."""
    with started(name, databases) as other:
        first = {"do": "open", **other.opening()}
    before = connections(reference)
    with subprocess.Popen(
        DRIVERS[name].command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(first) + "\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["ready"] is True
        if last == "SIGTERM":
            process.send_signal(signal.SIGTERM)
        elif last == "end":
            process.stdin.write('{"do": "end"}\n')
            process.stdin.flush()
        else:
            process.stdin.close()
        assert process.wait(SECONDS) == 0
        assert process.stdout.read() == ""
    until(lambda: connections(reference) <= before, SECONDS, "a connection is still open")
