"""Asks the process that keeps the databases of a race."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from race.errors import RaceError
from race.machine.process import Child
from race.timeouts import TIMEOUTS
from runtime.child import GUARD
from runtime.paths import ROOT, var

FOLDER = "application"


@dataclass(frozen=True)
class Instance:
    """A database that runs: its main process and its URL, with user and password."""

    pid: int
    url: str


class DatabaseProcess:
    """The databases of a race, by name, in a process of their own.

    The guard of this process leaves it alone: it ends by itself when we do, and takes the time to
    remove what it has made.
    """

    def __init__(self, kind: str) -> None:
        words = [sys.executable, "-m", "race.app.database", kind, str(var() / FOLDER)]
        self._child = Child(words, env={GUARD: None}, cwd=ROOT, pipe_output=True, pipe_input=True)

    def start(self, name: str, template: str | None = None) -> Instance:
        """Start a database, empty or as a template was; one of that name is replaced.

        RaceError with one line if it does not start.
        """
        said = self._ask("start", name, *([template] if template else []))
        match said:
            case ["ready", pid, url]:
                return Instance(int(pid), url)
        raise RaceError(said[-1])

    def stop(self, name: str) -> None:
        """End a database; its data stays as a template."""
        self._ask("stop", name)

    def _ask(self, *words: str) -> list[str]:
        said = None
        if self._child.tell("\t".join(words), TIMEOUTS.database):
            said = self._child.read_line(TIMEOUTS.application_database)
        if said is None:
            ended = "took too long" if self._child.running() else self._child.last_words()
            raise RaceError(f"the databases of the contenders: their process {ended}")
        return said.split("\t")

    def close(self) -> None:
        """End all databases and remove what they kept."""
        self._child.end(TIMEOUTS.application_database)
