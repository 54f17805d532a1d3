"""The harness's side of the protocol: a runner in a process of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from race.errors import CellFailed
from race.machine.process import Child, wait_first
from runtime.paths import ROOT
from toolbench.timeouts import TIMEOUTS


class RunnerProcess:
    """A runner, which answers each question, a line of JSON, with a line of JSON."""

    def __init__(self, command: Sequence[str], cores: frozenset[int]) -> None:
        """Start the process; RaceError if there is no such program."""
        self.child = Child(command, cores, cwd=ROOT, pipe_output=True, pipe_input=True)

    def ask(self, question: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Return the answer; CellFailed if it is an error, or if none comes in time."""
        line = msgspec.json.encode(question).decode()
        sent = self.child.tell(line, seconds)
        text = self.child.read_line(seconds) if sent else None
        if text is None:
            raise CellFailed(self._silence(str(question["do"]), seconds))
        try:
            answer = msgspec.json.decode(text, type=dict[str, Any])
        except (msgspec.DecodeError, msgspec.ValidationError):
            raise CellFailed(f"driver said {text[:40]!r} instead of an answer") from None
        if error := answer.get("error"):
            raise CellFailed(str(error))
        return answer

    def _silence(self, does: str, seconds: float) -> str:
        """Return why there is no answer: the runner ended, or it still runs."""
        if wait_first([self.child], TIMEOUTS.exit) is None:
            return f"driver did not answer to {does} within {seconds:g} s"
        return f"driver {self.child.last_words()}"
