"""Child processes: pinned, in a session of their own, waited for asleep, always ended."""

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
from typing import IO

from race.errors import RaceError
from race.machine import guard

STOP_SECONDS = 8.0
LAST_WORDS = 4096
READ_BYTES = 65536
LOG_BYTES = 1 << 20
"""Of a child's stderr no more than this is kept, but for what it says until somebody looks."""
LOOK_SECONDS = 1.0


@dataclass(frozen=True)
class Exit:
    """How a process ended: by itself with a code, or killed by a signal."""

    code: int | None
    signal: signal.Signals | None = None

    def __str__(self) -> str:
        if self.signal is not None:
            return f"killed by {self.signal.name}"
        return f"ended with code {self.code}"


class Child:
    """One child process with its output; `end` leaves nothing of it behind."""

    def __init__(
        self,
        command: Sequence[str],
        cores: frozenset[int] = frozenset(),
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        talks: bool = False,
        hears: bool = False,
    ) -> None:
        """`talks`: its output is read line by line while it runs, not as a whole after its end;
        `hears`: it is told lines, on its stdin.
        """
        guard.up()
        self.command = list(command)
        # A pipe that nobody reads would stop a child with much to say.
        self._stderr, self._stdout = _in_memory("stderr"), _in_memory("stdout")
        try:
            self._process = subprocess.Popen(
                [*_prefix(cores), *command],
                stdin=subprocess.PIPE if hears else subprocess.DEVNULL,
                stdout=subprocess.PIPE if talks else self._stdout,
                stderr=self._stderr,
                env=None if env is None else {**os.environ, **env},
                cwd=cwd,
                start_new_session=True,  # Ctrl-C reaches the harness alone, which then ends us
            )
            self._pidfd = os.pidfd_open(self._process.pid)
        except OSError as error:
            self._stderr.close()
            self._stdout.close()
            raise RaceError(f"cannot start {command[0]}: {error.strerror}") from error
        if self._process.stdout is not None:
            self._stdout.close()
            self._stdout = self._process.stdout
        self._unread = bytearray()
        self._open = True
        _OPEN.add(self)

    @property
    def pid(self) -> int:
        """Process id, valid until `end`."""
        return self._process.pid

    @property
    def pidfd(self) -> int:
        """A descriptor that becomes readable when the process ends."""
        return self._pidfd

    def running(self) -> bool:
        """Whether the process still runs; does not reap it, so its CPU time stays readable."""
        return self._open and not select.select([self._pidfd], [], [], 0)[0]

    def read_line(self, timeout: float) -> str | None:
        """The next line of its output, or None when it ended or the time was up first."""
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
        """A line to its stdin; whether it took it, which it does not once it has ended."""
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

    def bound_log(self) -> None:
        """Forget all of a long stderr but its end."""
        if not self._open or os.fstat(self._stderr.fileno()).st_size <= LOG_BYTES:
            return
        said = _text(self._stderr, LAST_WORDS).encode()
        os.ftruncate(self._stderr.fileno(), 0)
        os.write(self._stderr.fileno(), said)

    def output(self) -> str:
        """All that it wrote; call it after its end."""
        return _text(self._stdout, 0)

    def complaint(self) -> str:
        """The last line of its stderr; empty when it was silent."""
        lines = _text(self._stderr, LAST_WORDS).strip().splitlines()
        return lines[-1].strip() if lines else ""

    def exit(self) -> Exit:
        """How it ended; does not reap it, so its CPU time stays readable until `end`."""
        code = self._process.returncode
        if code is None:
            code = self._ended()
        return Exit(code) if code >= 0 else Exit(None, signal.Signals(-code))

    def last_words(self) -> str:
        """How it ended, in words, with the last line that it said."""
        said = self.complaint()
        return str(self.exit()) + (f" ({said})" if said else "")

    def end(self, patience: float = STOP_SECONDS) -> None:
        """SIGTERM, wait, then SIGKILL for all that is left of its session."""
        if not self._open:
            return
        self._signal(signal.SIGTERM)
        try:
            self._process.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            pass
        finally:
            self._kill_session()
            self._process.wait(timeout=STOP_SECONDS)
            self._close()

    def _ended(self) -> int:
        """Its exit code, or minus the signal that killed it, as `Popen.returncode` has them."""
        if wait_first([self], STOP_SECONDS) is None:
            raise subprocess.TimeoutExpired(self.command, STOP_SECONDS)
        found = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
        if found is None:  # only with WNOHANG
            raise ChildProcessError(self.pid)
        killed = found.si_code in (os.CLD_KILLED, os.CLD_DUMPED)
        return -found.si_status if killed else found.si_status

    def _kill_session(self) -> None:
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):  # nobody of the session is left
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


def bound_logs() -> None:
    """Of every child, also of those that rest."""
    for child in tuple(_OPEN):
        child.bound_log()


def _in_memory(name: str) -> IO[bytes]:
    """A file that no full disk concerns; who writes there goes on at its end, wherever that is."""
    descriptor = os.memfd_create(name)
    fcntl.fcntl(descriptor, fcntl.F_SETFL, os.O_APPEND)
    return os.fdopen(descriptor, "r+b", buffering=0)


def _left(deadline: float) -> float:
    return max(0.0, deadline - time.monotonic())


def _text(file: IO[bytes], last: int) -> str:
    """The end of a file, or with 0 all of it; the child's writing position stays where it is."""
    size = os.fstat(file.fileno()).st_size
    begin = max(0, size - last) if last else 0
    return os.pread(file.fileno(), size - begin, begin).decode(errors="replace")


def wait_first(children: Sequence[Child], timeout: float) -> Child | None:
    """Sleep until one of them ends; None when the time was up first."""
    poller = select.poll()
    for child in children:
        poller.register(child.pidfd, select.POLLIN)
    deadline = time.monotonic() + timeout
    ended: set[int] = set()
    while not ended:
        left = _left(deadline)
        ended = {descriptor for descriptor, _ in poller.poll(min(LOOK_SECONDS, left) * 1000)}
        bound_logs()
        if left <= LOOK_SECONDS:
            break
    return next((child for child in children if child.pidfd in ended), None)


def _prefix(cores: frozenset[int]) -> list[str]:
    """Set before exec, so that every thread of the child is pinned and it dies with the harness."""
    prefix: list[str] = []
    if _installed("setpriv"):
        prefix += ["setpriv", "--pdeathsig", "TERM"]
    if cores and _installed("taskset"):
        prefix += ["taskset", "-c", ",".join(str(core) for core in sorted(cores))]
    return prefix


@cache
def _installed(program: str) -> bool:
    """Looked for once: to search PATH for each cell was a quarter of what the harness used."""
    return shutil.which(program) is not None
