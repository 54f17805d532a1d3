"""Where faults are done: servers and private databases of this run alone; what a fault is."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar
from urllib.parse import parse_qs, urlsplit

from chaos.seen import NotHere, Seen
from databases import DATABASES, find, private
from databases.database import DatabaseError
from race.errors import CellFailed
from race.machine.proc import read, tree
from race.machine.process import Child
from race.web.engines import SERVER, Entry, catalogue
from race.web.servers import Server, serving
from runtime.paths import ROOT

VAR = "VAR_DIR"
# What would point a server, or the chaos itself, at something that is not of this run.
FOREIGN = ("POOL_SIZE", "SITE_CLOCK", "SITE_HISTORY", "SITE_TOKEN")
STOP_SECONDS = 15.0
MEGABYTE = 1 << 20

Answer = TypeVar("Answer")
Item = TypeVar("Item")


class Lab:
    """A folder, an environment and dice; ``close`` leaves nothing of them behind.

    The environment of this process is changed for the life of a lab: private databases are found
    by it, and no database that a variable names may come to harm.
    """

    def __init__(
        self, folder: Path, short: bool, seed: int, say: Callable[[str], None] = print
    ) -> None:
        self.folder = folder
        self.short = short
        self.seed = seed
        self.say = say
        self._over = threading.Event()
        self._handles: dict[str, private.Handle] = {}
        self._before = dict(os.environ)
        for name in (*FOREIGN, *(find(one).url_variable for one in DATABASES)):
            os.environ.pop(name, None)
        os.environ[VAR] = str(folder / "var")

    def dice(self, name: str) -> random.Random:
        """Random numbers that are the same for the same seed and name."""
        return random.Random(f"{self.seed} {name}")  # noqa: S311 - they must come again

    def apart(
        self, work: Callable[[Item], Answer], items: Sequence[Item], at_once: int
    ) -> list[Answer]:
        """The work on each of the items, in threads; those that run are told when one breaks down.

        They ask ``go_on`` where they would otherwise keep an interrupted run for long.
        """
        pool = ThreadPoolExecutor(max(1, at_once))
        try:
            return list(pool.map(work, items))
        except BaseException:
            self._over.set()
            raise
        finally:
            pool.shutdown(cancel_futures=True)

    def go_on(self) -> None:
        """NotHere once the run was interrupted."""
        if self._over.is_set():
            raise NotHere("the run was interrupted")

    def times(self, full: int, short: int) -> int:
        """How often, or how long, in a whole run or in a short one."""
        return short if self.short else full

    @contextlib.contextmanager
    def server(self, engine: str, *options: str) -> Iterator[Server]:
        """A server of that engine; NotHere with its own line where it does not start."""
        words = [sys.executable, str(SERVER), "-e", engine, "-p", "0", *options]
        try:
            server = serving(Child(words, cwd=ROOT, talks=True))
        except CellFailed as error:
            raise NotHere(str(error)) from None
        try:
            yield server
        finally:
            server.child.end()

    def database(self, name: str) -> private.Handle:
        """A hold on a private database until the end; NotHere where it cannot run."""
        if name not in self._handles:
            try:
                self._handles[name] = private.join(name)
            except DatabaseError as error:
                raise NotHere(str(error)) from None
        return self._handles[name]

    def home(self, name: str) -> Path:
        """The folder of a private database."""
        return self.folder / "var" / name

    def close(self) -> None:
        """Leave the databases, wait for their ends, remove what they kept."""
        for name, handle in self._handles.items():
            handle.leave()
            with contextlib.suppress(TimeoutError):
                until(partial(_gone, self.home(name) / "state.json"), STOP_SECONDS)
            for outside in parse_qs(urlsplit(handle.url).query).get("host", []):
                shutil.rmtree(outside, ignore_errors=True)
        self._handles.clear()
        os.environ.clear()
        os.environ.update(self._before)


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong. ``promise`` is what is held against it, in a sentence; ``run``
    does it to every subject and yields a ``Seen`` for each, within ``bound`` seconds for all.
    """

    title: str
    promise: str
    bound: float
    run: Callable[[Lab], Iterator[Seen]]


def bare(loops: bool = False) -> list[Entry]:
    """Each web framework without a database, on the plain loop or on each."""
    plain = catalogue().factors["loop"][0]
    return [
        one
        for one in catalogue().entries
        if one.database is None and (loops or one.factors["loop"] == plain)
    ]


def stored() -> list[Entry]:
    """Each backend that asks a database, once: frameworks and connection modes take turns."""
    webs, found = list(catalogue().factors["web"]), []
    for turn, backend in enumerate(catalogue().factors["backend"]):
        mine = [one for one in _plain() if one.factors["backend"] == backend and one.database]
        for web in [*webs[turn % len(webs) :], *webs]:
            fits = [one for one in mine if one.factors["web"] == web]
            if fits:
                found.append(fits[turn % len(fits)])
                break
    return found


def waiting() -> list[Entry]:
    """Each web framework with the first backend that asks a database."""
    found: dict[str, Entry] = {}
    for one in _plain():
        if one.database:
            found.setdefault(one.factors["web"], one)
    return list(found.values())


def _plain() -> list[Entry]:
    """On the plain loop, those that run here first."""
    plain = catalogue().factors["loop"][0]
    entries = [one for one in catalogue().entries if one.factors["loop"] == plain]
    return sorted(entries, key=lambda one: one.problem is not None)


def until(done: Callable[[], Answer | None], seconds: float, pause: float = 0.02) -> Answer:
    """Ask until the answer is true, and return it; TimeoutError after that time."""
    deadline = time.monotonic() + seconds
    while not (answer := done()):
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(pause)
    return answer


def memory(pid: int) -> int:
    """Bytes of a process and all below it; what they share is counted once (Pss)."""
    return sum(_memory(one) for one in tree(pid))


def _memory(pid: int) -> int:
    lines = read(pid, "smaps_rollup").splitlines()
    sizes = [int(line.split()[1]) for line in lines if line.startswith("Pss:")]
    return 1024 * sum(sizes)


def megabytes(size: int) -> str:
    """ "87 MB"."""
    return f"{size / MEGABYTE:.0f} MB"


def _gone(path: Path) -> bool:
    return not path.exists()
