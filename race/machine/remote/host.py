"""The connection to an agent on another machine, through OpenSSH as the user has configured it."""

from __future__ import annotations

import os
import shlex
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

import msgspec

from race.errors import CellFailed, RaceError
from race.machine.process import Child, Exit, last_line, wait_first
from race.machine.remote.boot import travelling
from race.timeouts import TIMEOUTS

Answer = TypeVar("Answer")

PYTHON = "python3"
SSH = "RACE_SSH"
"""The variable with another command than `ssh`, such as `ssh -F FILE`."""
# A connection of its own, which asks nothing, forwards nothing and notices that it broke.
OPTIONS = shlex.split(
    "-T -a -x -o BatchMode=yes -o ControlPath=none -o ClearAllForwardings=yes "
    "-o ServerAliveInterval=5 -o ServerAliveCountMax=3"
)
SSH_FAILED, NOT_FOUND = 255, 127
LOOK_SECONDS = 0.05
"""The time between two looks at what a program has written."""


class Clocks(NamedTuple):
    """Nanoseconds that another machine's clock is ahead of ours, and the uncertainty of that."""

    offset_ns: int
    unsure_ns: int


class Output(NamedTuple):
    """The end of a small program: its exit status, and what it wrote to stdout and stderr."""

    code: int
    text: str
    complaint: str

    @property
    def said(self) -> str:
        """Return what it wrote to stdout, or to stderr if that is nothing."""
        return self.text or self.complaint


class Ended(msgspec.Struct, frozen=True):
    """The end of a program: `code` is negative if a signal killed it."""

    ended: int
    code: int
    cpu_ns: int
    output: str
    complaint: str


class Host:
    """Another machine: `HOST`, as `ssh HOST` takes it, or `HOST:PYTHON`.

    RaceError, one line, if it cannot be reached or has no such Python; CellFailed if it is lost
    later. `close` ends all that was started there.
    """

    def __init__(self, given: str, remedy: str = "name one, as in {}:/opt/bin/python3") -> None:
        self._remedy = remedy
        self.name, _, python = given.partition(":")
        self.python = python or PYTHON
        self._ended: dict[int, Ended] = {}
        self._open = True
        first, rest = travelling(self.python)
        command = [*shlex.split(os.environ.get(SSH, "ssh")), *OPTIONS]
        command += ["-o", f"ConnectTimeout={TIMEOUTS.host_connect:.0f}", "--", self.name, first]
        self._link = Child(command, pipe_output=True, pipe_input=True)
        try:
            self._link.tell(rest, TIMEOUTS.host_connect)
            self.facts: dict[str, Any] = self._hello()
        except BaseException:
            self.close()
            raise

    @property
    def output_fd(self) -> int:
        """A descriptor that becomes readable when the machine says something, or is lost."""
        return self._link.output_fd

    def ask(self, question: str, *words: Any, timeout: float = TIMEOUTS.host) -> Any:
        """Return the agent's answer. CellFailed if it refuses or does not come in time."""
        line = msgspec.json.encode([question, words]).decode()
        deadline = time.monotonic() + timeout
        if self._open and self._link.tell(line, timeout):
            while (said := self._hear(deadline - time.monotonic())) is not None:
                if "refused" in said:
                    raise CellFailed(f"{self.name}: {said['refused']}")
                if "answer" in said:
                    return said["answer"]
        why = self.lost()
        self.close()  # or half a question or a late answer would spoil the next one
        raise CellFailed(why)

    def asked(self, form: type[Answer], question: str, *words: Any) -> Answer:
        """Return the agent's answer as a record."""
        return msgspec.convert(self.ask(question, *words), form, str_keys=True)

    def output(self, words: Sequence[str], seconds: float = TIMEOUTS.program) -> Output:
        """Run a small program for at most so many seconds. CellFailed if it takes longer."""
        found = self.ask("output", list(words), seconds, timeout=seconds + TIMEOUTS.host)
        return Output(*found)

    def clocks(self, times: int) -> Clocks:
        """Compare the clocks. The shortest of some round trips bounds the error: half of it."""
        found = []
        for _ in range(times):
            before = time.time_ns()
            there = self.ask("clock")
            after = time.time_ns()
            found.append((after - before, there - (before + after) // 2))
        shortest, offset = min(found)
        return Clocks(offset, shortest // 2)

    def start(
        self,
        words: Sequence[str],
        cores: frozenset[int],
        seconds: float | None = None,
        env: Mapping[str, str] | None = None,
    ) -> RemoteChild:
        """Start a program; it is killed after so many seconds, if any, unless it has ended.

        `env` is added to the environment.
        """
        found = self.ask("start", list(words), sorted(cores), seconds, dict(env or {}))
        return RemoteChild(self, *found)

    def ended(self, number: int) -> Ended | None:
        """Return the end of a program; None while it runs."""
        while number not in self._ended and self._hear(0.0) is not None:
            continue
        return self._ended.get(number)

    def forget(self, number: int) -> None:
        """Forget what a program wrote."""
        self._ended.pop(number, None)

    def alive(self) -> bool:
        """Return whether the connection holds."""
        return self._link.running()

    def lost(self) -> str:
        """Return why there is no answer."""
        if not self._open:
            return f"the connection to {self.name} is closed"
        if wait_first([self._link], TIMEOUTS.server_exit) is None:
            return f"{self.name} did not answer in time"
        return f"the connection to {self.name} was lost: {self._link.last_words()}"

    def close(self) -> None:
        """End the connection; the agent then ends what it started, and itself."""
        self._open = False
        try:
            self._link.close_input()
            wait_first([self._link], TIMEOUTS.host_end)
        finally:
            self._link.end()

    def _hear(self, timeout: float) -> dict[str, Any] | None:
        """Return what is said next; None if nothing is. The end of a program is noted."""
        line = self._link.read_line(max(0.0, timeout)) if self._open else None
        if line is None:
            return None
        said = msgspec.json.decode(line, type=dict[str, Any])
        if "ended" in said:
            ended = msgspec.convert(said, Ended)
            self._ended[ended.ended] = ended
        return said

    def _hello(self) -> dict[str, Any]:
        self._link.tell(msgspec.json.encode(["hello", []]).decode(), TIMEOUTS.host_connect)
        try:
            said = self._hear(2 * TIMEOUTS.host_connect)
        except msgspec.DecodeError:
            raise RaceError(f"`ssh {self.name} true` prints text: it must print none") from None
        if said is None:
            raise RaceError(self._unreached())
        if "answer" not in said:
            why = said.get("refused", "it says something else")
            raise RaceError(f"{self.name} does not run the agent ({why}): it needs Linux")
        facts: dict[str, Any] = said["answer"]
        return facts

    def _unreached(self) -> str:
        """Return why the agent did not start, and what to do."""
        if wait_first([self._link], TIMEOUTS.server_exit) is None:
            return f"{self.name} did not answer in time: does `ssh {self.name} true` end at once?"
        code, said = self._link.exit().code, self._link.complaint()
        if code == SSH_FAILED:
            return f"cannot reach {self.name} ({said}): `ssh {self.name} true` must not ask"
        if code == NOT_FOUND:
            return f"{self.name} has no {self.python}: {self._remedy.format(self.name)}"
        return f"{self.python} on {self.name} does not run the agent ({said})"


class RemoteChild:
    """A program on another machine, with what `race.load.drive` asks of a `process.Child`."""

    def __init__(self, host: Host, number: int, pid: int) -> None:
        self.pid = pid
        self._host, self._number = host, number

    @property
    def pidfd(self) -> int:
        """A descriptor that becomes readable when the program ends, or for another reason."""
        return self._host.output_fd

    def running(self) -> bool:
        """Return whether it runs; not if its machine was lost, which ends it."""
        return self._host.ended(self._number) is None and self._host.alive()

    def read_line(self, timeout: float) -> str | None:
        """Return the first line of its output; None if it ended or the time was up before."""
        deadline = time.monotonic() + timeout
        while self.running() and time.monotonic() < deadline:
            line, end, _ = str(self._host.ask("said", self._number)).partition("\n")
            if end:
                return line
            wait_first([self], LOOK_SECONDS)
        return None

    def interrupt(self) -> None:
        """Ask for an early end that keeps the results so far (SIGINT)."""
        self._host.ask("send", self._number, int(signal.SIGINT))

    def exit(self) -> Exit:
        """Return how it ended."""
        code = self._end().code
        return Exit(code) if code >= 0 else Exit(None, signal.Signals(-code))

    def output(self) -> str:
        """Return all that it wrote to stdout."""
        return self._end().output

    def complaint(self) -> str:
        """Return the last line of its stderr, or ""."""
        return last_line(self._end().complaint)

    def last_words(self) -> str:
        """Return how it ended, in words, with the last line of its stderr."""
        said = self.complaint()
        return str(self.exit()) + (f" ({said})" if said else "")

    def cpu_ns(self) -> int:
        """Return its CPU time."""
        return self._end().cpu_ns

    def end(self) -> None:
        """End it, if its machine can still be told."""
        if self.running():
            with suppress(CellFailed):
                self._host.ask("end", self._number)
        self._host.forget(self._number)

    def _end(self) -> Ended:
        found = self._host.ended(self._number)
        if found is None:
            raise CellFailed(self._host.lost())
        return found
