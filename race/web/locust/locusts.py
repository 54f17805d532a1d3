"""Locust's own processes: one, or a master and its workers, as they would run by hand."""

from __future__ import annotations

import http.client
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from race.errors import RaceError
from runtime.child import dies_with_parent
from runtime.paths import ROOT

FILE = ROOT / "locustfiles" / "locustfile.py"
HERE = "127.0.0.1"
READY_SECONDS = 30.0
ANSWER_SECONDS = 2.0
PROBE_SECONDS = 0.1
# As Locust takes it: how long a master waits for its workers.
MEET_SECONDS = "60"
# Between the first word to end and the last: a master asks its workers, and reports are written.
END_SECONDS = 25.0
# Quiet: what a person must know is said by the locustfile.
QUIET = ("--loglevel", "WARNING", "--only-summary")


@dataclass(frozen=True)
class Plan:
    """What Locust is to do. ``port`` None: no web page; `more` are arguments of Locust's own."""

    shape: str = ""
    users: Sequence[str] = ()
    port: int | None = None
    workers: int = 0
    more: Sequence[str] = ()


@dataclass
class Locusts:
    """The processes: the one that decides first, its workers after it.

    ``stopped`` has something in it once nobody waits for them any more.
    """

    plan: Plan
    host: str
    reports: Path
    samples: Path
    stopped: Sequence[int] = ()
    page: str | None = None
    _processes: list[Process] = field(default_factory=list)

    def start(self) -> None:
        """Start all; with a web page, wait until it answers, unless a person does not want to.
        RaceError where that fails.
        """
        if self.plan.port is not None:
            check_free(self.plan.port)
            self.page = f"http://{HERE}:{self.plan.port or free_port()}"
        number, meet = self.plan.workers, str(free_port())
        master = ["--master", "--master-bind-host", HERE, "--master-bind-port", meet]
        master += ["--expect-workers", str(number), "--expect-workers-max-wait", MEET_SECONDS]
        worker = ["--worker", "--master-host", HERE, "--master-port", meet]
        self._processes.append(Process([*self._command(), *self._what(), *master * bool(number)]))
        self._processes += [Process([*self._command(), *worker]) for _ in range(number)]
        if self.page:
            self._wait(self.page)

    def _command(self) -> list[str]:
        return [sys.executable, "-m", "locust", "-f", str(FILE), *QUIET]

    def _what(self) -> list[str]:
        plan = self.plan
        words = ["--host", self.host, "--reports", str(self.reports), "--samples"]
        words += [str(self.samples), *(["--shape", plan.shape] if plan.shape else [])]
        if self.page is None:
            words += ["--headless"]
        else:
            words += ["--class-picker", "--web-host", HERE]
            words += ["--web-port", self.page.rpartition(":")[2]]
            words += ["--autostart"] if plan.shape else []
        return [*words, *plan.more, *plan.users]

    def _wait(self, page: str) -> None:
        """Until the page answers, or nobody waits for it."""
        deadline = time.monotonic() + READY_SECONDS
        while not (self.stopped or answers(page)):
            if not self.running():
                raise RaceError("Locust ended before its page was there, for the reason above")
            if time.monotonic() > deadline:
                raise RaceError(f"Locust's page was not there within {READY_SECONDS:.0f} s")
            time.sleep(PROBE_SECONDS)

    @property
    def workers(self) -> Sequence[int]:
        """Process ids of the workers."""
        return [one.pid for one in self._processes[1:]]

    def running(self) -> bool:
        """Whether the one that decides runs."""
        return bool(self._processes) and self._processes[0].running()

    def end(self, patience: float = END_SECONDS) -> int:
        """End all, with reports, the first within `patience`; its exit status, which decides.

        By SIGTERM, for which the locustfile cares: SIGINT ends a run that began by itself, and not
        the program with its page.
        """
        if not self._processes:
            return 0
        first, *workers = self._processes
        first.end(patience)
        for worker in workers:
            worker.end(patience / 5)
        return first.status()


class Process:
    """A process that writes where we write, and does not outlive us."""

    def __init__(self, command: Sequence[str]) -> None:
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                cwd=ROOT,
                # Ctrl-C reaches us alone, and we pass it on once.
                start_new_session=True,
                preexec_fn=dies_with_parent(signal.SIGTERM),  # noqa: PLW1509 - one thread
            )
        except OSError as error:
            raise RaceError(f"cannot start {command[0]}: {error.strerror}") from error
        self._pidfd = os.pidfd_open(self._process.pid)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def running(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def end(self, patience: float) -> None:
        """Ask for an end, wait for it, and take it where it does not come."""
        if self.running():
            self._process.terminate()
            if not select.select([self._pidfd], [], [], patience)[0]:
                self._process.kill()
        self._process.wait()

    def status(self) -> int:
        """Its exit status, 128 and the number of the signal that killed it; waits for its end."""
        code = self._process.wait()
        return code if code >= 0 else 128 - code


def free_port() -> int:
    """A port that nobody listens on now."""
    with closing(socket.create_server((HERE, 0))) as listening:
        number: int = listening.getsockname()[1]
        return number


def check_free(number: int) -> None:
    """RaceError where somebody listens there: Locust would say so in a traceback and go on."""
    try:
        socket.create_server((HERE, number)).close()
    except OSError as error:
        raise RaceError(
            f"port {number}: {os.strerror(error.errno or 0)}; try another --port, or 0"
        ) from None


def answers(page: str) -> bool:
    """Whether a page is there."""
    host, _, number = page.removeprefix("http://").partition(":")
    connection = http.client.HTTPConnection(host, int(number), timeout=ANSWER_SECONDS)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
