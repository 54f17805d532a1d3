"""Starts and ends Locust: one process, or a master and its workers."""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from race.errors import RaceError
from race.timeouts import TIMEOUTS
from runtime.child import dies_with_parent
from runtime.listen import free_port
from runtime.paths import ROOT

FILE = ROOT / "locustfiles" / "locustfile.py"
HERE = "127.0.0.1"
PROBE_SECONDS = 0.1
# The locustfile says what a person must know, so Locust itself stays quiet.
QUIET = ("--loglevel", "WARNING", "--only-summary")


@dataclass(frozen=True)
class LocustOptions:
    """The options of a Locust. `port` None: no web page; `more` are arguments of Locust's own."""

    shape: str = ""
    users: Sequence[str] = ()
    paths: Sequence[str] = ()
    port: int | None = None
    workers: int = 0
    more: Sequence[str] = ()


@dataclass
class LocustProcesses:
    """Locust's processes: the one that decides first, its workers after it.

    A start is broken off once there is something in `stopped`.
    """

    options: LocustOptions
    host: str
    reports: Path
    samples: Path
    stopped: Sequence[int] = ()
    page: str | None = None
    _processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self) -> None:
        """Start all processes and wait for the web page. RaceError if that fails."""
        if self.options.port is not None:
            self.page = f"http://{HERE}:{check_port(self.options.port)}"
        number, port = self.options.workers, str(free_port())
        master = ["--master", "--master-bind-host", HERE, "--master-bind-port", port]
        master += ["--expect-workers", str(number)]
        master += ["--expect-workers-max-wait", f"{TIMEOUTS.locust_workers:.0f}"]
        worker = ["--worker", "--master-host", HERE, "--master-port", port]
        locust = [sys.executable, "-m", "locust", "-f", str(FILE), *QUIET]
        first = [*locust, *self._arguments(), *master * bool(number)]
        self._processes.append(start(first))
        self._processes += [start([*locust, *worker]) for _ in range(number)]
        if self.page:
            self._wait(self.page)

    def _arguments(self) -> list[str]:
        options = self.options
        words = ["--host", self.host, "--reports", str(self.reports)]
        words += ["--samples", str(self.samples)]
        words += ["--shape", options.shape] if options.shape else []
        words += [word for path in options.paths for word in ("--path", path)]
        if self.page is None:
            words += ["--headless"]
        else:
            words += ["--class-picker", "--web-host", HERE]
            words += ["--web-port", self.page.rpartition(":")[2]]
            words += ["--autostart"] if options.shape else []
        return [*words, *options.more, *options.users]

    def _wait(self, page: str) -> None:
        """Wait until the page answers or the start is broken off."""
        deadline = time.monotonic() + TIMEOUTS.locust_page
        while not (self.stopped or answers(page)):
            if not self.running():
                raise RaceError("Locust ended before its page was there, for the reason above")
            if time.monotonic() > deadline:
                raise RaceError(f"Locust's page was not there in {TIMEOUTS.locust_page:.0f} s")
            time.sleep(PROBE_SECONDS)

    def running(self) -> bool:
        """Return whether the process that decides runs."""
        return bool(self._processes) and self._processes[0].poll() is None

    def end(self, timeout: float) -> int:
        """End all processes, with reports; return the exit status of the one that decides.

        A process that a signal killed has 128 and the number of the signal. The locustfile handles
        SIGTERM; SIGINT would end a run that began by itself, and leave the program with its page.
        """
        if not self._processes:
            return 0
        first, *workers = self._processes
        end(first, timeout)
        for worker in workers:
            end(worker, timeout / 5)
        return first.returncode if first.returncode >= 0 else 128 - first.returncode


def start(command: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start a process that writes to our terminal and ends with us."""
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            cwd=ROOT,
            start_new_session=True,  # so Ctrl-C reaches us alone, and we pass it on once
            preexec_fn=dies_with_parent(signal.SIGTERM),  # noqa: PLW1509 - one thread
        )
    except OSError as error:
        raise RaceError(f"cannot start {command[0]}: {error.strerror}") from error


def end(process: subprocess.Popen[bytes], timeout: float) -> None:
    """Ask for an end and wait for it; kill the process if it does not come."""
    process.terminate()
    try:
        process.wait(timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def check_port(number: int) -> int:
    """Return the port, or a free one for 0. Raise RaceError if the port is taken.

    Locust itself would print a traceback and go on.
    """
    try:
        return free_port(number, HERE)
    except OSError as error:
        raise RaceError(
            f"port {number}: {os.strerror(error.errno or 0)}; try another --port, or 0"
        ) from None


def answers(page: str) -> bool:
    """Return whether a page is there."""
    host, _, number = page.removeprefix("http://").partition(":")
    connection = http.client.HTTPConnection(host, int(number), timeout=TIMEOUTS.locust_answer)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
