"""A program that the agent runs; like the agent it imports the standard library alone."""

from __future__ import annotations

import ctypes
import math
import os
import select
import signal
import subprocess
import time
from contextlib import suppress
from typing import Any

from race.machine.proc import cpu_ns

END_SECONDS = 15.0
"""The time from SIGTERM to SIGKILL: a database closes its files for ten seconds, and what started
it then removes its data.
"""
LAST_WORDS = 4096
LOG_BYTES = 1 << 20
SAID_BYTES = 65536
PR_SET_PDEATHSIG = 1


class Program:
    """A program that runs here, in a session of its own; it is killed at its `deadline`, if any."""

    def __init__(
        self,
        words: list[str],
        cores: list[int],
        seconds: float | None,
        folder: str,
        env: dict[str, str],
    ) -> None:
        self.deadline = time.monotonic() + (math.inf if seconds is None else seconds)
        self._out, self._err = (os.fdopen(os.memfd_create(name), "w+b") for name in ("out", "err"))
        arrange = _arranged(cores)
        self._process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=self._out,
            stderr=self._err,
            cwd=folder,
            env={**os.environ, **env},
            start_new_session=True,
            preexec_fn=arrange,  # noqa: PLW1509 - one thread, two system calls
        )
        self.pid = self._process.pid
        self.pidfd = os.pidfd_open(self.pid)

    def send(self, number: int) -> None:
        """Send a signal to its process alone; `Popen.send_signal` might reap it unseen."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.pidfd, number)

    def said(self) -> str:
        """Return the first that it wrote to stdout."""
        return os.pread(self._out.fileno(), SAID_BYTES, 0).decode(errors="replace")

    def bound_log(self) -> None:
        """Cut a long stderr to its end."""
        log = self._err.fileno()
        size = os.fstat(log).st_size
        if size > LOG_BYTES:
            said = os.pread(log, LAST_WORDS, size - LAST_WORDS)
            os.ftruncate(log, 0)
            os.lseek(log, 0, os.SEEK_SET)
            os.write(log, said)

    def ended(self) -> dict[str, Any]:
        """Return how it ended, what it wrote and its CPU time; nothing of its session is left."""
        os.waitid(os.P_PIDFD, self.pidfd, os.WEXITED | os.WNOWAIT)
        used = cpu_ns(self._process.pid)
        self._kill()
        code = self._process.wait()
        os.close(self.pidfd)
        texts = []
        for file, last in ((self._out, 0), (self._err, LAST_WORDS)):
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - last) if last else 0)
            texts.append(file.read().decode(errors="replace"))
            file.close()
        return {"code": code, "cpu_ns": used, "output": texts[0], "complaint": texts[1]}

    def end(self) -> None:
        """End it and its session: SIGTERM, then SIGKILL."""
        self.send(signal.SIGTERM)
        if not select.select([self.pidfd], [], [], END_SECONDS)[0]:
            self._process.kill()
        self._kill()
        self._process.wait()
        os.close(self.pidfd)

    def _kill(self) -> None:
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except OSError:  # the whole session has ended
            return


def _arranged(cores: list[int]) -> Any:
    """Return what a child does before its program: it takes its cores, and dies with us."""
    prctl = ctypes.CDLL(None).prctl

    def arrange() -> None:
        prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))
        if cores:
            os.sched_setaffinity(0, cores)

    return arrange
