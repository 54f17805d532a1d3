"""Child processes of the harness: pinned to cores, in a session of their own, and always ended.

The harness sleeps while it waits for them, so that it takes no CPU time from what is measured.
"""

from __future__ import annotations

import fcntl
import os
import select
import shutil
import signal
import subprocess
import time
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Protocol, TypeVar

from race.errors import RaceError
from race.machine import guard
from race.machine.proc import cpu_ns
from race.timeouts import TIMEOUTS

Ending = TypeVar("Ending", bound="Awaited")

LAST_WORDS = 4096
LINE = 300
"""The most characters of a line of a log that are shown: a program may write megabytes in one."""
READ_BYTES = 65536
LOG_BYTES = 1 << 20
"""The size from which a child's stderr is cut to its end, when the harness next looks at it."""
LOOK_SECONDS = 1.0


@dataclass(frozen=True)
class Exit:
    """The end of a process: by itself with a code, or by a signal."""

    code: int | None
    signal: signal.Signals | None = None

    def __str__(self) -> str:
        if self.signal is not None:
            return f"killed by {self.signal.name}"
        return f"ended with code {self.code}"


class Awaited(Protocol):
    """Something that ends. `pidfd` is a descriptor that becomes readable when it ends, and may
    for other reasons.
    """

    @property
    def pidfd(self) -> int: ...

    def running(self) -> bool: ...


class Child:
    """One child process with its output; `end` leaves nothing of it behind."""

    def __init__(
        self,
        command: Sequence[str],
        cores: frozenset[int] = frozenset(),
        env: Mapping[str, str | None] | None = None,
        cwd: Path | None = None,
        pipe_output: bool = False,
        pipe_input: bool = False,
        logs: bool = False,
    ) -> None:
        """Start it on these cores. With `pipe_output` its stdout is read line by line while it
        runs, else as a whole after its end; with `pipe_input` it reads lines from its stdin. With
        `logs` stdout and stderr are one log, of which only the end is kept. `env` is added to the
        environment; a variable that is None there is removed.
        """
        guard.up()
        self.command = list(command)
        # Files in memory: a pipe that is not read would block a child that writes much.
        self._stderr, self._stdout = _in_memory("stderr"), _in_memory("stdout")
        try:
            self._process = subprocess.Popen(
                [*_prefix(cores), *command],
                stdin=subprocess.PIPE if pipe_input else subprocess.DEVNULL,
                stdout=subprocess.PIPE if pipe_output else self._stderr if logs else self._stdout,
                stderr=self._stderr,
                env=_environment(env or {}),
                cwd=cwd,
                start_new_session=True,  # Ctrl-C reaches the harness alone, which then ends us
            )
            self._pidfd = os.pidfd_open(self._process.pid)
        except (OSError, ValueError) as error:  # ValueError: a null character in a word
            self._stderr.close()
            self._stdout.close()
            why = error.strerror if isinstance(error, OSError) else error
            raise RaceError(f"cannot start {command[0]}: {why}") from error
        if self._process.stdout is not None:
            self._stdout.close()
            self._stdout = self._process.stdout
        self._unread = bytearray()
        self._open = True
        _OPEN.add(self)

    @property
    def pid(self) -> int:
        """The process id, valid until `end`."""
        return self._process.pid

    @property
    def pidfd(self) -> int:
        """A descriptor that becomes readable when the process ends."""
        return self._pidfd

    @property
    def output_fd(self) -> int:
        """The descriptor of its stdout; with `pipe_output` alone it can be waited for."""
        return self._stdout.fileno()

    def running(self) -> bool:
        """Return whether the process still runs.

        It is not reaped, so that its CPU time stays readable.
        """
        return self._open and not select.select([self._pidfd], [], [], 0)[0]

    def read_line(self, timeout: float) -> str | None:
        """Return the next line of its output; None if it ended or the time was up first."""
        descriptor = self._stdout.fileno()
        deadline = time.monotonic() + timeout
        searched = 0
        while (end := self._unread.find(b"\n", searched)) < 0:
            searched = len(self._unread)
            while not select.select([descriptor], [], [], min(LOOK_SECONDS, _left(deadline)))[0]:
                bound_logs()
                if time.monotonic() >= deadline:
                    return None
            some = os.read(descriptor, READ_BYTES)
            if not some:
                return None
            self._unread += some
        line = self._unread[:end]
        del self._unread[: end + 1]
        return line.decode(errors="replace").strip()

    def tell(self, line: str, timeout: float) -> bool:
        """Write a line to its stdin; return False if it has ended or does not read."""
        if self._process.stdin is None:
            return False
        descriptor, left = self._process.stdin.fileno(), line.encode() + b"\n"
        os.set_blocking(descriptor, False)
        deadline = time.monotonic() + timeout
        while left and (more := deadline - time.monotonic()) > 0:
            if not select.select([], [descriptor], [], more)[1]:
                return False
            try:
                left = left[os.write(descriptor, left) :]
            except BrokenPipeError:
                return False
        return not left

    def interrupt(self) -> None:
        """Ask for an early end that keeps the results so far (SIGINT)."""
        self._signal(signal.SIGINT)

    def cpu_ns(self) -> int:
        """Return its CPU time, and that of the children that it has waited for."""
        return cpu_ns(self.pid)

    def close_input(self) -> None:
        """Close its stdin, if that is a pipe."""
        if self._process.stdin is not None:
            self._process.stdin.close()

    def bound_log(self) -> None:
        """Cut a long stderr to its end."""
        if not self._open or os.fstat(self._stderr.fileno()).st_size <= LOG_BYTES:
            return
        said = _text(self._stderr, LAST_WORDS).encode()
        os.ftruncate(self._stderr.fileno(), 0)
        os.write(self._stderr.fileno(), said)

    def output(self) -> str:
        """Return all that it wrote to stdout; call it after its end."""
        return _text(self._stdout, 0)

    def complaint(self) -> str:
        """Return the last line of its stderr, or "" if it wrote none."""
        return _shown(last_line(_text(self._stderr, LAST_WORDS)))

    def log(self, lines: int) -> list[str]:
        """Return the last lines of its stderr; with `logs`, of both its outputs."""
        return [
            _shown(line) for line in _text(self._stderr, LAST_WORDS).strip().splitlines()[-lines:]
        ]

    def exit(self) -> Exit:
        """Return how it ended; it is not reaped, so its CPU time stays readable until `end`."""
        code = self._process.returncode
        if code is None:
            code = self._ended()
        return Exit(code) if code >= 0 else Exit(None, signal.Signals(-code))

    def last_words(self) -> str:
        """Return how it ended, in words, with the last line of its stderr."""
        said = self.complaint()
        return str(self.exit()) + (f" ({said})" if said else "")

    def end(self, timeout: float = TIMEOUTS.child_end) -> None:
        """Send SIGTERM and wait, then kill what is left of its session."""
        if not self._open:
            return
        self._signal(signal.SIGTERM)
        try:
            self._process.wait(timeout=timeout)
        except subprocess.TimeoutExpired:
            pass
        finally:
            self._kill_session()
            self._process.wait(timeout=TIMEOUTS.child_end)
            self._close()

    def _ended(self) -> int:
        """Return its exit code, or minus the number of the signal that killed it."""
        if wait_first([self], TIMEOUTS.child_end) is None:
            raise subprocess.TimeoutExpired(self.command, TIMEOUTS.child_end)
        found = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
        if found is None:  # only with WNOHANG
            raise ChildProcessError(self.pid)
        killed = found.si_code in (os.CLD_KILLED, os.CLD_DUMPED)
        return -found.si_status if killed else found.si_status

    def _kill_session(self) -> None:
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):  # the whole session has ended
            return

    def _signal(self, number: signal.Signals) -> None:
        if self._process.poll() is None:
            self._process.send_signal(number)

    def _close(self) -> None:
        self._open = False
        _OPEN.discard(self)
        os.close(self._pidfd)
        for stream in (self._stderr, self._stdout, self._process.stdin):
            if stream is not None:
                stream.close()


_OPEN: weakref.WeakSet[Child] = weakref.WeakSet()


def _environment(changes: Mapping[str, str | None]) -> dict[str, str]:
    return {name: text for name, text in {**os.environ, **changes}.items() if text is not None}


def bound_logs() -> None:
    """Cut the stderr of every child, paused ones included, to its end."""
    for child in tuple(_OPEN):
        child.bound_log()


def _in_memory(name: str) -> IO[bytes]:
    """Return a file in memory, which a full disk cannot stop, open for appending.

    Appending means that a child goes on at the new end after `bound_log` has cut the file.
    """
    descriptor = os.memfd_create(name)
    fcntl.fcntl(descriptor, fcntl.F_SETFL, os.O_APPEND)
    return os.fdopen(descriptor, "r+b", buffering=0)


def _left(deadline: float) -> float:
    return max(0.0, deadline - time.monotonic())


def _text(file: IO[bytes], last: int) -> str:
    """Return the last bytes of a file, or with 0 all of it, without moving its position."""
    size = os.fstat(file.fileno()).st_size
    begin = max(0, size - last) if last else 0
    return os.pread(file.fileno(), size - begin, begin).decode(errors="replace")


def _shown(line: str) -> str:
    return line if len(line) <= LINE else f"{line[:LINE]}…"


def last_line(text: str) -> str:
    """Return the last line of a text, or "" if it has none."""
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines else ""


def wait_first(children: Sequence[Ending], timeout: float) -> Ending | None:
    """Sleep until one of the children ends and return it; None if the time was up first."""
    poller = select.poll()
    for child in children:
        poller.register(child.pidfd, select.POLLIN)
    deadline = time.monotonic() + timeout
    while (ended := next((one for one in children if not one.running()), None)) is None:
        left = _left(deadline)
        if not left:
            break
        poller.poll(min(LOOK_SECONDS, left) * 1000)
        bound_logs()
    return ended


def _prefix(cores: frozenset[int]) -> list[str]:
    """Return the programs that run before the child's: they set its cores and its death signal.

    Set before exec, cores hold for every thread; the signal comes when the harness dies.
    """
    prefix: list[str] = []
    if _installed("setpriv"):
        prefix += ["setpriv", "--pdeathsig", "TERM"]
    if cores and _installed("taskset"):
        prefix += ["taskset", "-c", ",".join(str(core) for core in sorted(cores))]
    return prefix


@cache
def _installed(program: str) -> bool:
    """Return whether PATH has a program. Searching it for each cell cost the harness a quarter of
    its CPU time, so the answer is kept.
    """
    return shutil.which(program) is not None
