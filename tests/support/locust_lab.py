"""Locust in processes of its own: the locustfile alone, or all that ``make locust`` starts."""

from __future__ import annotations

import contextlib
import csv
import importlib.util
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Self
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import psutil

from locustfiles.pages import checks
from runtime.paths import ROOT
from tests.conftest import absent
from tests.support.site_server import environment, until

LOCUSTFILE = ROOT / "locustfiles" / "locustfile.py"
SECONDS = 60.0
PAGE = re.compile(r"Locust: (http://\S+)")
SHORT = ("--shape", "Steps", "--steps-rate", "50", "--steps-stages")
MEMORY = ("--engine", "aiohttp-memory-one", "--user", "Reader")
SOAK = (*MEMORY, "--headless", "--shape", "Soak")
WORKERS_REPORT_SECONDS = 5.0  # Locust's workers send their figures every 3 s
BALLOT = (
    '<h1>Which one sticks?</h1><p role="status">Your vote has been counted</p>'
    '<form action="/" method="post"><input name="vote_plus" value="{0}">'
    '<input name="vote_minus" value="{1}"></form>'
    '<form action="/" method="post"><input name="vote_plus" value="{1}">'
    '<input name="vote_minus" value="{0}"></form>'
).format("a" * 32, "b" * 32)
REPORT_PAGES = {
    f"/reports/{number}": (
        200,
        f'<h1>{heading}</h1><a href="/reports/{number}" aria-current="page">{heading}</a>',
    )
    for number, heading in enumerate(checks.REPORTS, 1)
}


def needed() -> None:
    """Skip if Locust is not installed."""
    if importlib.util.find_spec("locust") is None:
        absent("no locust: make env")


class Running:
    """A process whose output is kept; with it goes all that it started."""

    def __init__(self, command: list[str], output: Path, **more: Any) -> None:
        needed()
        self.output = output
        with output.open("wb") as file:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                cwd=ROOT,
                **{"env": environment(), **more},
            )
        self.send = self.process.send_signal

    def wait(self, seconds: float = SECONDS) -> int:
        """Return its exit status."""
        return self.process.wait(seconds)

    def text(self) -> str:
        return self.output.read_text(errors="replace")

    def until(self, pattern: str) -> re.Match[str]:
        """Wait until the output has that pattern."""
        deadline = time.monotonic() + SECONDS
        while not (found := re.search(pattern, self.text())):
            assert self.process.poll() is None, self.text()
            assert time.monotonic() < deadline, self.text()
            time.sleep(0.05)
        return found

    def below(self) -> list[psutil.Process]:
        """Return every process that it started."""
        with contextlib.suppress(psutil.NoSuchProcess):
            return psutil.Process(self.process.pid).children(recursive=True)
        return []

    def named(self, word: str) -> list[psutil.Process]:
        """Return the processes below with a word in their command."""
        found = []
        for one in self.below():
            with contextlib.suppress(psutil.NoSuchProcess):
                found += [one] if any(word in said for said in one.cmdline()) else []
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End it and all below it, whatever state they are in."""
        below = self.below()
        if self.process.poll() is None:
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(SECONDS)
        for one in below:
            with contextlib.suppress(psutil.NoSuchProcess):
                one.kill()
        self.process.kill()
        self.process.wait()


def locust(
    host: str,
    folder: Path,
    *arguments: str,
    before: Callable[[], None] | None = None,
    progress: float = 5,
) -> Running:
    """Run the locustfile alone, headless; `before` runs in the new process."""
    command = [sys.executable, "-m", "locust", "-f", str(LOCUSTFILE), "--headless"]
    command += ["--loglevel", "WARNING", "--only-summary", "--host", host]
    command += ["--reports", str(folder / "reports"), *arguments]
    env = environment(LOCUST_TIMEOUTS=f"progress={progress}")
    return Running(command, folder / "output.txt", env=env, preexec_fn=before)


def launched(folder: Path, *arguments: str, env: dict[str, str] | None = None) -> Running:
    """Run what `make locust` runs."""
    command = [sys.executable, "-m", "race.web.locust", "--reports", str(folder / "reports")]
    return Running([*command, *arguments], folder / "output.txt", env=env or environment())


@dataclass(frozen=True)
class Reports:
    """The reports of one run."""

    folder: Path

    @property
    def data(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / "report.json").read_text())
        return found

    @property
    def page(self) -> str:
        return (self.folder / "report.html").read_text()

    def table(self, name: str) -> list[dict[str, str]]:
        with (self.folder / f"{name}.csv").open(newline="") as file:
            return list(csv.DictReader(file))

    def pages(self) -> dict[str, int]:
        """Return requests by page."""
        return {one["page"]: one["requests"] for one in self.data["pages"]}

    def failures(self) -> dict[str, set[str]]:
        """Return errors by page."""
        found: dict[str, set[str]] = {}
        for one in self.data["failures"]:
            found.setdefault(one["page"], set()).add(one["error"])
        return found


def reports(folder: Path) -> Reports:
    """Return the reports of the only run, all of whose files are there."""
    (only,) = (folder / "reports").iterdir()
    names = {"report.html", "report.json"}
    names |= {f"{one}.csv" for one in ("requests", "failures", "exceptions", "history", "server")}
    assert {path.name for path in only.iterdir()} == names
    return Reports(only)


class FakeSite(ThreadingHTTPServer):
    """Answers what a test wants, by path; `asked` are the paths in order."""

    daemon_threads = True

    def __init__(self, answers: dict[str, tuple[int, str]], post: str) -> None:
        super().__init__(("127.0.0.1", 0), FakeHandler)
        self.answers = {"/ugly": (200, "UGLY"), **answers}
        self.post = post
        self.asked: list[str] = []
        self.url = f"http://127.0.0.1:{self.server_port}"


class FakeHandler(BaseHTTPRequestHandler):
    """Answers for a FakeSite."""

    protocol_version = "HTTP/1.1"
    server: FakeSite

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        status, body = self.server.answers.get(self.path.partition("?")[0], (404, "no"))
        self._answer(status, body.encode())

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(303, b"", self.server.post)

    def _answer(self, status: int, body: bytes, location: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        if location:
            self.send_header("Location", location)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: Any) -> None:
        """Say nothing."""


@contextlib.contextmanager
def fake(answers: dict[str, tuple[int, str]], post: str = "/?voted=1") -> Iterator[FakeSite]:
    """Serve a fake site for the length of a block."""
    with FakeSite(answers, post) as site:
        thread = Thread(target=site.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield site
        finally:
            site.shutdown()
            thread.join()


def asked(page: str, method: str, path: str, **form: str) -> dict[str, Any]:
    """Ask Locust's page for JSON."""
    request = Request(page + path, urlencode(form).encode(), method=method)  # noqa: S310 - ours
    with urlopen(request, timeout=20) as answer:  # noqa: S310 - ours
        found: dict[str, Any] = json.load(answer)
        return found


def swarm(page: str, **form: str) -> dict[str, Any]:
    """Start a run as the page's form does."""
    return asked(page, "POST", "/swarm", **form)


def gone(running: Running, below: list[psutil.Process]) -> None:
    """Check that nothing is left of what it started."""
    assert running.process.poll() is not None
    left = [one for one in below if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]
    until(lambda: not any(one.is_running() for one in left), 10.0, f"still there: {left}")


def workers_of(running: Running, number: int) -> list[psutil.Process]:
    """Return the worker processes, once all are there."""
    until(lambda: len(running.named("--worker")) == number, 40.0, "not all workers")
    return running.named("--worker")
