"""Talking to a runner: a question is a line of JSON, and so is its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from race.errors import CellFailed
from race.machine.process import Child, wait_first
from runtime.paths import ROOT
from toolbench.shared import DRIVER

LAST_BREATH_SECONDS = 1.0


class Talk:
    """A runner, in a process of its own: `child`."""

    def __init__(self, command: Sequence[str], cores: frozenset[int]) -> None:
        """RaceError when there is no such program."""
        self.child = Child(command, cores, cwd=ROOT, talks=True, hears=True)

    def ask(self, question: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Its answer; CellFailed when none comes in time, or when it says that it failed."""
        line = msgspec.json.encode(question).decode()
        said = self.child.read_line(seconds) if self.child.tell(line, seconds) else None
        if said is None:
            raise CellFailed(self._silence(str(question["do"]), seconds))
        try:
            answer = msgspec.json.decode(said, type=dict[str, Any])
        except (msgspec.DecodeError, msgspec.ValidationError):
            raise CellFailed(f"{DRIVER} said {said[:40]!r} instead of an answer") from None
        if error := answer.get("error"):
            raise CellFailed(str(error))
        return answer

    def _silence(self, does: str, seconds: float) -> str:
        """Why there is no answer. What it was given up for may still be running."""
        if wait_first([self.child], LAST_BREATH_SECONDS) is None:
            return f"{DRIVER} did not answer to {does} within {seconds:.0f} s"
        return f"{DRIVER} {self.child.last_words()}"
