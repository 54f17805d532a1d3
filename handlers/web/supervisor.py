"""Keeps a worker process alive: started again when it dies, ended with its parent."""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import signal
import sys
import time
import traceback
from typing import Any, Callable, Optional

from data_interface.store import StoreError

# Linux: the signal a process gets when its parent dies (prctl(2)).
PR_SET_PDEATHSIG = 1

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)
STOP_SECONDS = 8.0
# A worker that lives shorter than this did not really start.
SHORT_LIFE_SECONDS = 1.0
MOST_SHORT_LIVES = 5
PAUSE_SECONDS = 0.1

FAILED = 1

# ``work(first, started)`` runs in the worker and calls ``started`` once it accepts connections.
Work = Callable[[bool, Callable[[], None]], None]

_log = logging.getLogger("supervisor")


class Supervisor:
    """One worker at a time. SIGTERM and SIGINT end it in good order, then the parent."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._worker: Optional[int] = None
        self._stopping: bool = False

    def run(self, ready: Callable[[], None]) -> int:
        """Supervise until a signal; the exit status."""
        for number in STOP_SIGNALS:
            signal.signal(number, self._stop)
        short_lives = 0
        first = True
        while not self._stopped():
            born = time.monotonic()
            status = self._one_life(first, ready)
            if self._stopped():
                break
            if first and os.WIFEXITED(status):
                return FAILED
            first = False
            short_lives = short_lives + 1 if time.monotonic() - born < SHORT_LIFE_SECONDS else 0
            if short_lives == MOST_SHORT_LIVES:
                _log.error("The worker died %d times in a row; giving up.", short_lives)
                return FAILED
            _log.error("The worker died (%s); starting another.", _cause(status))
            time.sleep(PAUSE_SECONDS * short_lives)
        return 0

    def _one_life(self, first: bool, ready: Callable[[], None]) -> int:
        """Start a worker and wait for its end; its wait status."""
        reader, writer = os.pipe()
        # Between fork and the note of its id a signal must not be lost.
        signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
        parent = os.getpid()
        self._worker = os.fork()
        if self._worker == 0:
            os.close(reader)
            _be_worker(self._work, first, writer, parent)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            if pipe.read(1) and first:
                ready()
        _, status = os.waitpid(self._worker, 0)
        self._worker = None
        return status

    def _stopped(self) -> bool:
        """Asked each time: a signal handler changes it behind the reader's back."""
        return self._stopping

    def _stop(self, number: int, frame: Any) -> None:
        if self._stopping:
            return
        self._stopping = True
        # waitpid goes on after a signal, so the time limit comes as a signal too.
        signal.signal(signal.SIGALRM, lambda *_: self._signal(signal.SIGKILL))
        signal.setitimer(signal.ITIMER_REAL, STOP_SECONDS)
        self._signal(signal.SIGTERM)

    def _signal(self, number: int) -> None:
        if self._worker:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._worker, number)


def _be_worker(work: Work, first: bool, writer: int, parent: int) -> None:
    """The worker's whole life; never returns."""
    status = FAILED
    try:
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        # A group of its own: Ctrl-C reaches the parent alone, which turns it into one SIGTERM.
        os.setpgrp()
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(FAILED)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        # The framework's own remarks, some of them from C, go nowhere: standard output is for the
        # parent's one line.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not _log.isEnabledFor(logging.DEBUG):
            _hush_native_code()
        work(first, lambda: _report(writer))
        status = 0
    except StoreError as error:
        print(f"server.py: {error}", file=sys.stderr, flush=True)
    except BaseException:  # noqa: BLE001 (the last frame of a forked process)
        traceback.print_exc()
    finally:
        os._exit(status)


def _hush_native_code() -> None:
    """What C code says before it aborts goes nowhere; the parent says that in one line."""
    log = os.fdopen(os.dup(sys.stderr.fileno()), "w", 1)
    os.dup2(sys.stdout.fileno(), sys.stderr.fileno())
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.StreamHandler):
            handler.setStream(log)
    sys.stderr = log


def _report(writer: int) -> None:
    os.write(writer, b"+")
    os.close(writer)


def _cause(status: int) -> str:
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return f"exit status {os.WEXITSTATUS(status)}"


def supervise(work: Work, ready: Callable[[], None]) -> int:
    """Run ``work`` in a worker process that is replaced when it dies; the exit status."""
    return Supervisor(work).run(ready)
