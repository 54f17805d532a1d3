"""Keeps worker processes alive: started again when they die, ended with their parent."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import time
import traceback
from typing import Any, Callable, Dict, Iterable, NamedTuple, NoReturn

from data_interface.store import StoreError
from handlers.timeouts import TIMEOUTS
from handlers.web.listen import Listen
from runtime.child import dies_with_parent

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)
# So many lives in a row that end before they served are the end of the server. One that served is
# always followed by another: clients can end it, and must not end the site.
MOST_VAIN_LIVES = 5

FAILED = 1
STARTED = b"+"
MOST_WORDS = 4096

Ready = Callable[[], None]

_log = logging.getLogger("supervisor")


class Life(NamedTuple):
    """One life of a worker: which of the workers it is, whether that one never lived before, and
    what to call once it accepts connections."""

    number: int
    first: bool
    started: Callable[[], None]


# Runs in the worker, until SIGTERM.
Work = Callable[[Life], None]


class Supervisor:
    """A number of workers. SIGTERM and SIGINT end them in good order, then the parent."""

    def __init__(self, work: Work, listen: Listen, workers: int) -> None:
        self._work = work
        self._listen = listen
        self._workers = workers
        self._numbers: Dict[int, int] = {}
        self._born: Dict[int, float] = {}
        self._readers: Dict[int, int] = {}
        self._short_lives: Dict[int, int] = {}
        self._vain_lives: Dict[int, int] = {}
        self._stopping: bool = False

    def run(self, ready: Ready) -> int:
        """Supervise until a signal; the exit status. StoreError when a worker cannot start."""
        for number in STOP_SIGNALS:
            signal.signal(number, self._stop)
        try:
            # The first alone: it makes what the others find, and what is wrong is said once.
            status = self._begin([0]) or self._begin(range(1, self._workers))
            if status == 0 and not self._stopped():
                ready()
                status = self._watch()
        finally:
            self._end()
        return status

    def _begin(self, numbers: Iterable[int]) -> int:
        """Start workers and wait until each accepts; the exit status when one does not."""
        numbers = list(numbers)
        for number in numbers:
            self._start(number, first=True)
        words = [self._read(number) for number in numbers]
        wrong = [word for word in words if word != STARTED]
        if not wrong or self._stopped():
            return 0
        if wrong[0]:
            raise StoreError(wrong[0].decode())
        return FAILED

    def _watch(self) -> int:
        """Replace what dies, until a signal; the exit status."""
        while not self._stopped():
            process, status = os.wait()
            number = self._numbers.pop(process, None)
            if number is None or self._stopped():
                continue
            vain = 0 if self._served(number) else self._vain_lives.get(number, 0) + 1
            self._vain_lives[number] = vain
            if vain == MOST_VAIN_LIVES:
                _log.error("The worker died %d times before it served; giving up.", vain)
                return FAILED
            _log.error("The worker died (%s); starting another.", _cause(status))
            time.sleep(self._pause(number))
            self._start(number, first=False)
        return 0

    def _served(self, number: int) -> bool:
        """Whether a worker that is dead accepted connections in that life."""
        return number not in self._readers or self._read(number) == STARTED

    def _pause(self, number: int) -> float:
        """Seconds before a worker's next life."""
        lived = time.monotonic() - self._born[number]
        short = self._short_lives.get(number, 0) + 1 if lived < TIMEOUTS.short_life else 0
        self._short_lives[number] = short
        return min(TIMEOUTS.restart * short, TIMEOUTS.longest_restart)

    def _start(self, number: int, first: bool) -> None:
        """Fork a worker."""
        reader, writer = os.pipe()
        # Between fork and the note of its id a signal must not be lost.
        signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
        if not self._stopped():
            parent = os.getpid()
            process = os.fork()
            if process == 0:
                os.close(reader)
                _be_worker(self._work, Birth(number, first, writer, parent))
            self._numbers[process] = number
            self._born[number] = time.monotonic()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        os.close(writer)
        self._readers[number] = reader

    def _read(self, number: int) -> bytes:
        """A worker's first words, waited for; none where it ended without any."""
        with os.fdopen(self._readers.pop(number), "rb") as pipe:
            return pipe.read(MOST_WORDS)

    def _stopped(self) -> bool:
        """Asked each time: a signal handler changes it behind the reader's back."""
        return self._stopping

    def _stop(self, number: int, frame: Any) -> None:
        if self._stopping:
            return
        self._stopping = True
        # Who comes now is refused at once, instead of waiting for nobody.
        self._listen.close()
        # wait goes on after a signal, so the time limit comes as a signal too.
        signal.signal(signal.SIGALRM, lambda *_: self._signal(signal.SIGKILL))
        signal.setitimer(signal.ITIMER_REAL, TIMEOUTS.stop)
        self._signal(signal.SIGTERM)

    def _end(self) -> None:
        """Wait for every worker, in bounds."""
        self._stop(signal.SIGTERM, None)
        while self._numbers:
            self._numbers.pop(os.wait()[0], None)
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _signal(self, number: int) -> None:
        for process in list(self._numbers):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)


class Birth(NamedTuple):
    """What a worker is told; ``writer``: where its first words go."""

    number: int
    first: bool
    writer: int
    parent: int


def _be_worker(work: Work, birth: Birth) -> NoReturn:
    """The worker's whole life."""
    status = FAILED
    try:
        _leave_the_parent(birth.parent)
        work(Life(birth.number, birth.first, lambda: _say(birth.writer, STARTED)))
        status = 0
    except StoreError as error:
        if birth.first:
            _say(birth.writer, str(error).encode()[:MOST_WORDS])
        else:
            _log.error("%s", error)
    except BaseException:  # noqa: BLE001 (the last frame of a forked process)
        traceback.print_exc()
    finally:
        os._exit(status)


def _leave_the_parent(parent: int) -> None:
    """Signals, group, output: a process that its parent alone looks after."""
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    # A group of its own: Ctrl-C reaches the parent alone, which turns it into one SIGTERM.
    os.setpgrp()
    dies_with_parent(signal.SIGKILL)()
    if os.getppid() != parent:
        os._exit(FAILED)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
    # The framework's own remarks, some of them from C, go nowhere: standard output is for the
    # parent's one line.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if not _log.isEnabledFor(logging.DEBUG):
        _hush_native_code()


def _hush_native_code() -> None:
    """What C code says before it aborts goes nowhere; the parent says that in one line."""
    log = os.fdopen(os.dup(sys.stderr.fileno()), "w", 1)
    os.dup2(sys.stdout.fileno(), sys.stderr.fileno())
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.StreamHandler):
            handler.setStream(log)
    sys.stderr = log


def _say(writer: int, words: bytes) -> None:
    """To the parent: the first words of a life."""
    os.write(writer, words)
    os.close(writer)


def _cause(status: int) -> str:
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return f"exit status {os.WEXITSTATUS(status)}"


def supervise(work: Work, listen: Listen, workers: int, ready: Ready) -> int:
    """Run ``work`` in worker processes that are replaced when they die; the exit status."""
    return Supervisor(work, listen, workers).run(ready)
