"""Keeps worker processes running: each is replaced when it dies, and all end with their parent."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import time
import traceback
from typing import Any, Callable, Dict, List, NamedTuple, NoReturn, Optional

from data_interface.store import StoreError
from handlers.timeouts import TIMEOUTS
from handlers.web.listen import Listen
from runtime.child import dies_with_parent

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)
# So many processes in a row that end before they serve are the end of the server. One that served
# is always replaced: clients may be able to end it, and must not be able to end the site.
MOST_FAILED_STARTS = 5

FAILED = 1
STARTED = b"+"
MOST_BYTES = 4096  # of a message from a process that starts

Ready = Callable[[], None]

_log = logging.getLogger("supervisor")


class Life(NamedTuple):
    """One process of a worker.

    ``number`` is the worker's, ``first`` whether it had no process before, and ``started`` is to be
    called as soon as the process accepts connections.
    """

    number: int
    first: bool
    started: Callable[[], None]


# A function that runs in the worker until SIGTERM.
WorkerFunction = Callable[[Life], None]


class Worker:
    """A worker as its supervisor sees it, through all of its processes."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.first = True
        self.failed_starts = 0
        self._short_lives = 0
        self._began = 0.0
        # The pipe on which a process says that it started, until that was read.
        self._reader: Optional[int] = None

    def begin(self, reader: int) -> None:
        """Note that a process was started."""
        self._began, self._reader = time.monotonic(), reader

    def first_message(self) -> bytes:
        """Wait for the message of a process that starts; b"" if it ended without one."""
        if self._reader is None:
            return STARTED
        with os.fdopen(self._reader, "rb") as pipe:
            self._reader = None
            return pipe.read(MOST_BYTES)

    def end(self) -> float:
        """Note that the process ended, and return the seconds to wait before the next."""
        served = self.first_message() == STARTED
        self.failed_starts = 0 if served else self.failed_starts + 1
        lived = time.monotonic() - self._began
        self._short_lives = self._short_lives + 1 if lived < TIMEOUTS.short_life else 0
        self.first = False
        return min(TIMEOUTS.restart * self._short_lives, TIMEOUTS.longest_restart)


class Supervisor:
    """Runs a number of workers. SIGTERM and SIGINT end first them, then this process."""

    def __init__(self, work: WorkerFunction, listen: Listen, workers: int) -> None:
        self._work = work
        self._listen = listen
        self._workers = [Worker(number) for number in range(workers)]
        self._running: Dict[int, Worker] = {}
        self._stopping: bool = False

    def run(self, ready: Ready) -> int:
        """Supervise until a signal; raise StoreError when a worker cannot start."""
        for number in STOP_SIGNALS:
            signal.signal(number, self._stop)
        try:
            # The first worker starts alone. It makes what the others need, and reports a problem
            # once.
            status = self._begin(self._workers[:1]) or self._begin(self._workers[1:])
            if status == 0 and not self._is_stopping():
                ready()
                status = self._replace_the_dead()
        finally:
            self._end()
        return status

    def _begin(self, workers: List[Worker]) -> int:
        """Start workers and wait until all accept; return the exit status if one does not."""
        for worker in workers:
            self._start(worker)
        messages = [worker.first_message() for worker in workers]
        wrong = [message for message in messages if message != STARTED]
        if not wrong or self._is_stopping():
            return 0
        if wrong[0]:
            raise StoreError(wrong[0].decode())
        return FAILED

    def _replace_the_dead(self) -> int:
        """Replace each process that ends, until a signal; return the exit status."""
        while not self._is_stopping():
            process, status = os.wait()
            worker = self._running.pop(process, None)
            if worker is None or self._is_stopping():
                continue
            pause = worker.end()
            if worker.failed_starts == MOST_FAILED_STARTS:
                _log.error(
                    "The worker died %d times before it served; giving up.", MOST_FAILED_STARTS
                )
                return FAILED
            _log.error("The worker died (%s); starting another.", _cause(status))
            time.sleep(pause)
            self._start(worker)
        return 0

    def _start(self, worker: Worker) -> None:
        reader, writer = os.pipe()
        # A signal between the fork and the note of the process would miss it.
        signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
        if not self._is_stopping():
            parent = os.getpid()
            process = os.fork()
            if process == 0:
                os.close(reader)
                _be_worker(self._work, worker, writer, parent)
            self._running[process] = worker
        worker.begin(reader)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        os.close(writer)

    def _is_stopping(self) -> bool:
        # A function, because a signal handler may change the value between two readings.
        return self._stopping

    def _stop(self, number: int, frame: Any) -> None:
        if self._stopping:
            return
        self._stopping = True
        # New clients are refused at once, instead of waiting for nobody.
        self._listen.close()
        # os.wait() goes on after a signal, so the time limit is a signal too.
        signal.signal(signal.SIGALRM, lambda *_: self._signal_all(signal.SIGKILL))
        signal.setitimer(signal.ITIMER_REAL, TIMEOUTS.stop)
        self._signal_all(signal.SIGTERM)

    def _end(self) -> None:
        """Wait for every worker; the alarm kills those that do not end."""
        self._stop(signal.SIGTERM, None)
        while self._running:
            self._running.pop(os.wait()[0], None)
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _signal_all(self, number: int) -> None:
        for process in list(self._running):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)


def _be_worker(work: WorkerFunction, worker: Worker, writer: int, parent: int) -> NoReturn:
    """Live the whole life of a worker's process; ``writer`` is for its first message."""
    status = FAILED
    try:
        _leave_the_parent(parent)
        work(Life(worker.number, worker.first, lambda: _send(writer, STARTED)))
        status = 0
    except StoreError as error:
        if worker.first:
            _send(writer, str(error).encode()[:MOST_BYTES])
        else:
            _log.error("%s", error)
    except BaseException:  # noqa: BLE001 (the last frame of a forked process)
        traceback.print_exc()
    finally:
        os._exit(status)


def _leave_the_parent(parent: int) -> None:
    """Give this process its own signals, group and output."""
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    # In its own group: Ctrl-C reaches only the parent, which sends one SIGTERM.
    os.setpgrp()
    dies_with_parent(signal.SIGKILL)()
    if os.getppid() != parent:
        os._exit(FAILED)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
    # Frameworks print remarks, some of them from C. Standard output is for the parent's one line.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if not _log.isEnabledFor(logging.DEBUG):
        _silence_native_code()


def _silence_native_code() -> None:
    """Drop what C code prints before it aborts; the parent reports that in one line."""
    log = os.fdopen(os.dup(sys.stderr.fileno()), "w", 1)
    os.dup2(sys.stdout.fileno(), sys.stderr.fileno())
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.StreamHandler):
            handler.setStream(log)
    sys.stderr = log


def _send(writer: int, message: bytes) -> None:
    os.write(writer, message)
    os.close(writer)


def _cause(status: int) -> str:
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return f"exit status {os.WEXITSTATUS(status)}"


def supervise(work: WorkerFunction, listen: Listen, workers: int, ready: Ready) -> int:
    """Run ``work`` in worker processes that are replaced when they die; return the exit status."""
    return Supervisor(work, listen, workers).run(ready)
