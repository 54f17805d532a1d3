"""Site, database, Locust and the one who watches them: from the start to an end in order."""

from __future__ import annotations

import contextlib
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
from race.machine import guard
from race.machine.process import Child, bound_logs
from race.web.databases import Databases
from race.web.engines import SERVER, catalogue
from race.web.locust.locusts import Locusts, Plan
from race.web.locust.sampler import Sampler
from race.web.servers import Server, serving
from runtime.paths import ROOT

FIGURES = "SITE_FIGURES"
LOOK_SECONDS = 0.2
# A site that died leaves its failures in the reports before they are written.
MOURN_SECONDS = 2.0
# A user has a connection, which is a descriptor on both sides.
DESCRIPTORS = 65536
FAILED = 1


@dataclass(frozen=True)
class Asked:
    """What a person asked for. ``host`` is a site that runs already, "" for our own."""

    plan: Plan
    engine: str
    host: str
    reports: Path


def run(asked: Asked, browser: bool) -> int:
    """All of it; the exit status. RaceError and CellFailed have one line for a person."""
    raise_descriptors()
    guard.up()
    with contextlib.ExitStack() as stack:
        stopped = stack.enter_context(signals())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="locust-")))
        site = None if asked.host else stack.enter_context(started(asked.engine, folder))
        sampler = watcher(site, folder, stack)
        url = site.url if site else asked.host
        locusts = Locusts(asked.plan, url, asked.reports.absolute(), sampler.path, stopped)
        try:
            locusts.start()
            say(f"site: {url}")
            if locusts.page and not stopped:
                say(f"Locust: {locusts.page}  (Ctrl-C ends both)")
                if browser:
                    with guard.aside():  # it stays when we go
                        webbrowser.open(locusts.page)
            died = watch(locusts, site, sampler, stopped)
        finally:
            status = locusts.end()
        return FAILED if died else status


@contextlib.contextmanager
def signals() -> Iterator[list[int]]:
    """SIGINT and SIGTERM are noted, not obeyed at once: everything is to end in order."""
    heard: list[int] = []

    def hear(number: int, frame: FrameType | None) -> None:
        heard.append(number)

    before = {one: signal.signal(one, hear) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield heard
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def started(engine: str, figures: Path) -> Iterator[Server]:
    """The site on a free port; without an engine, on the first that runs here."""
    words = [sys.executable, str(SERVER), "-p", "0", *(["-e", engine] if engine else [])]
    server = serving(Child(words, env={FIGURES: str(figures)}, cwd=ROOT, talks=True))
    try:
        yield server
    finally:
        server.child.end()


def watcher(site: Server | None, folder: Path, stack: contextlib.ExitStack) -> Sampler:
    """Who samples the site and its database, which is held until the end."""
    path = folder / "samples.jsonl"
    path.touch()
    if site is None:
        return Sampler(path, None, None, None, folder)
    name = next(one.database for one in catalogue().entries if one.name == site.name)
    if name is None:
        return Sampler(path, site.child.pid, None, None, folder)
    databases = Databases()
    stack.callback(databases.release)
    databases.hold([name])
    where = find(name).address(databases.url(name) or "")
    return Sampler(path, site.child.pid, databases.pid(name), where, folder)


def watch(locusts: Locusts, site: Server | None, sampler: Sampler, stopped: list[int]) -> bool:
    """Sample until Locust ends, somebody says so, or the site dies: whether it did."""
    while locusts.running() and not stopped:
        if site is not None and not site.child.running():
            say(f"the site died: {site.child.last_words()}")
            time.sleep(MOURN_SECONDS)
            return True
        sampler.look()
        bound_logs()
        time.sleep(LOOK_SECONDS)
    return False


def raise_descriptors() -> None:
    """For all that is started here, as far as it may go: at 1,024, as often, a site ends there."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def say(line: str) -> None:
    """To the person at the terminal."""
    print(line, flush=True)
