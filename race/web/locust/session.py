"""One session of Locust: the site, its database, Locust and the sampler, from start to end.

`make locust` runs one for a person. A race runs one for each cell, with a site that runs already
(`Launch.watched`), and reads the report as a line of JSON (`Launch.as_json`).
"""

from __future__ import annotations

import contextlib
import json
import resource
import signal
import sys
import tempfile
import time
import webbrowser
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from databases import find
from race import console
from race.load.generator import UNWATCHED, WatchedProcesses
from race.machine import guard
from race.machine.process import Child, bound_logs
from race.timeouts import TIMEOUTS
from race.web.databases import Databases, has_server
from race.web.engines import SERVER, catalogue
from race.web.locust.launcher import LocustOptions, LocustProcesses
from race.web.locust.sampler import Sampler
from race.web.servers import Server, serving
from runtime.paths import ROOT

JSON_MARK = "json: "
FIGURES = "SITE_FIGURES"
LOOK_SECONDS = 0.1
FAILURES_SECONDS = 2.0  # after the site died, for the users to fail before the reports are written
DESCRIPTORS = 65536  # a user has a connection, which is a descriptor on both sides
FAILED = 1


@dataclass(frozen=True)
class Launch:
    """The options of a session.

    `host` is a site that runs already, "" for our own on `engine`; `watched` are the processes of
    a site that runs already. `as_json` prints the report in place of keeping it.
    """

    options: LocustOptions
    engine: str = ""
    host: str = ""
    reports: Path = ROOT
    watched: WatchedProcesses = UNWATCHED
    as_json: bool = False
    browser: bool = False


def run(launch: Launch) -> int:
    """Run a session; return the exit status. RaceError and CellFailed have a line for a person."""
    raise_descriptors()
    guard.up()
    with contextlib.ExitStack() as stack:
        stopped = stack.enter_context(noted_signals())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="locust-")))
        site = None if launch.host else stack.enter_context(started(launch.engine, folder))
        watched = processes(site, stack) if site else launch.watched
        sampler = Sampler(folder / "samples.jsonl", watched, folder)
        reports = folder / "reports" if launch.as_json else launch.reports.absolute()
        url = site.url if site else launch.host
        locust = LocustProcesses(launch.options, url, reports, sampler.path, stopped)
        try:
            locust.start()
            if not launch.as_json:
                announce(url, site, locust, launch.browser and not stopped)
            died = watch(locust, site, sampler, stopped)
        finally:
            timeout = TIMEOUTS.locust_race_end if launch.as_json else TIMEOUTS.locust_end
            status = locust.end(timeout)
        if launch.as_json:
            status = status or print_report(reports)
        return FAILED if died else status


@contextlib.contextmanager
def noted_signals() -> Iterator[list[int]]:
    """Note SIGINT and SIGTERM in a list, so that everything ends in order."""
    noted: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        noted.append(number)

    before = {one: signal.signal(one, note) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield noted
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def started(engine: str, figures: Path) -> Iterator[Server]:
    """Start the site on a free port, without an engine on the first that runs here."""
    words = [sys.executable, str(SERVER), "-p", "0", *(["-e", engine] if engine else [])]
    server = serving(Child(words, env={FIGURES: str(figures)}, cwd=ROOT, pipe_output=True))
    try:
        yield server
    finally:
        server.child.end()


def processes(site: Server, stack: contextlib.ExitStack) -> WatchedProcesses:
    """Return the processes of our site and its database, which is held until the end."""
    name = next(one.database for one in catalogue().entries if one.name == site.name)
    if not has_server(name):
        return WatchedProcesses(site.child.pid)
    databases = Databases()
    stack.callback(databases.release)
    databases.hold([name])
    address = find(name).address(databases.url(name) or "")
    return WatchedProcesses(site.child.pid, databases.pid(name), address)


def announce(url: str, site: Server | None, locust: LocustProcesses, browser: bool) -> None:
    """Say where the site and Locust's page are, and open the page."""
    print(f"site: {url}" + (f" on {site.name}" if site else ""), flush=True)
    if locust.page and not locust.stopped:
        print(f"Locust: {locust.page}  (Ctrl-C ends both)", flush=True)
        if browser:
            with guard.aside():  # the browser stays when we go
                webbrowser.open(locust.page)


def watch(
    locust: LocustProcesses, site: Server | None, sampler: Sampler, stopped: list[int]
) -> bool:
    """Sample until Locust ends, a signal comes or the site dies; return whether it died."""
    while locust.running() and not stopped:
        if site is not None and not site.child.running():
            console.write(f"the site died: {site.child.last_words()}")
            time.sleep(FAILURES_SECONDS)
            return True
        sampler.sample_when_due()
        bound_logs()
        time.sleep(LOOK_SECONDS)
    return False


def print_report(reports: Path) -> int:
    """Print the last report as a line; return FAILED if there is none."""
    written = sorted(reports.glob("*/report.json"))
    if not written:
        return FAILED
    print(JSON_MARK + json.dumps(json.loads(written[-1].read_text(encoding="utf-8"))), flush=True)
    return 0


def raise_descriptors() -> None:
    """Raise the limit of descriptors for all that is started here, as far as it may go.

    At 1,024, a usual limit, a site ends at as many users.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
