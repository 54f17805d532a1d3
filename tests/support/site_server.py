"""Real servers for tests: `server.py` in a process of its own, on databases of the test run."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any
from urllib.parse import parse_qs, urlsplit

import psutil

from data_interface.store import Statistics
from data_interface.votes import store_of
from databases import find, private
from handlers.engine import parse
from runtime.paths import ROOT
from tests.support.stores.databases import prepare

SERVER = ROOT / "server.py"
SERVING = re.compile(
    r"serving (?P<engine>\S+) on (?P<url>http://\S+) \(CPython (?P<python>\S+), pid (?P<pid>\d+)\)"
)
# The variables that a server reads.
OURS = {"DATABASE_URL", "MYSQL_URL", "POOL_SIZE", "TARANTOOL_URL", "VAR_DIR"}
OURS |= {"SITE_CLOCK", "SITE_HISTORY", "SITE_TIMEOUTS", "SITE_TOKEN"}
TOKEN = "a-token-for-the-tests"
START_SECONDS = 40.0
STOP_SECONDS = 15.0
AT_ONCE = 4


def environment(**extra: str) -> dict[str, str]:
    """Return the environment of this process without the variables of the site."""
    kept = {name: value for name, value in os.environ.items() if name not in OURS}
    return {**kept, **extra}


class SiteServer:
    """A running server. `stop` asks it to end; `end` ends it in any state."""

    def __init__(
        self, engine: str, env: dict[str, str], *options: str, group: bool = False
    ) -> None:
        """Start the server, with `group` in a process group of its own, as a shell does."""
        self.engine = engine
        self._seen = 0
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed by end)
        self.process = subprocess.Popen(
            [sys.executable, str(SERVER), "-e", engine, "-p", "0", *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=env,
            cwd=ROOT,
            process_group=0 if group else None,
        )
        try:
            line = first_line(self.process, START_SECONDS)
            match = SERVING.fullmatch(line)
            assert match, f"{engine} said {line!r} and logged {self.log()!r}"
        except BaseException:
            self.end()
            raise
        self.url = match["url"]
        self.port = int(self.url.rpartition(":")[2])
        self.python = match["python"]
        self.announced_pid = int(match["pid"])

    @property
    def pid(self) -> int:
        """The id of the process that was started."""
        return self.process.pid

    def log(self) -> str:
        """Return everything that it wrote to stderr."""
        # Not by seek and read: the server shares the position, and would write where we read.
        size = os.fstat(self._log.fileno()).st_size
        return os.pread(self._log.fileno(), size, 0).decode(errors="replace")

    def news(self) -> str:
        """Return what it wrote to stderr since the last call."""
        log, seen = self.log(), self._seen
        self._seen = len(log)
        return log[seen:]

    def tree(self) -> list[psutil.Process]:
        """Return its child processes, oldest first."""
        with contextlib.suppress(psutil.NoSuchProcess):
            return psutil.Process(self.pid).children(recursive=True)
        return []

    def alive(self) -> bool:
        """Return whether it still runs."""
        return self.process.poll() is None

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the process alone."""
        self.process.send_signal(number)

    def wait(self, seconds: float = STOP_SECONDS) -> int:
        """Wait for its end, and return the exit status."""
        return self.process.wait(seconds)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to end, and return the exit status."""
        self.send(number)
        return self.wait()

    def end(self) -> None:
        """End it and all below it."""
        below = self.tree()
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        for process in below:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        if self.process.stdout is not None:
            self.process.stdout.close()
        self._log.close()


def first_line(process: subprocess.Popen[bytes], seconds: float) -> str:
    """Return the first line of a process's output, or what there is of it at the deadline."""
    assert process.stdout is not None
    descriptor, line, deadline = process.stdout.fileno(), b"", time.monotonic() + seconds
    while not line.endswith(b"\n"):
        left = max(0.0, deadline - time.monotonic())
        if not select.select([descriptor], [], [], left)[0]:
            break
        char = os.read(descriptor, 1)
        if not char:
            break
        line += char
    return line.decode(errors="replace").strip()


@contextlib.contextmanager
def serving(
    engine: str, env: dict[str, str], *options: str, group: bool = False
) -> Iterator[SiteServer]:
    """A server for the length of a block."""
    server = SiteServer(engine, env, *options, group=group)
    try:
        yield server
    finally:
        server.end()


@contextlib.contextmanager
def fleet(engines: Sequence[str], env: dict[str, str]) -> Iterator[dict[str, SiteServer]]:
    """Several servers, a few of them started at once, for the length of a block."""
    with contextlib.ExitStack() as stack, ThreadPoolExecutor(AT_ONCE) as pool:
        starts = [pool.submit(SiteServer, engine, env) for engine in engines]
        for start in starts:
            stack.callback(_end_started, start)
        yield {engine: start.result() for engine, start in zip(engines, starts, strict=True)}


def _end_started(start: Any) -> None:
    if start.exception() is None:
        start.result().end()


class Databases:
    """The private databases of one test run, in a folder of their own; joined when first used."""

    def __init__(self, var: Path) -> None:
        self._var = var
        self._handles: dict[str, private.Handle] = {}

    def env(self, **extra: str) -> dict[str, str]:
        """The environment of a server on these databases."""
        return environment(VAR_DIR=str(self._var), SITE_TOKEN=TOKEN, **extra)

    def env_at(self, name: str, url: str) -> dict[str, str]:
        """Return the environment with one of the databases at another URL."""
        return self.env(**{find(name).url_variable: url})

    def hold(self, name: str) -> str:
        """Keep a database up until `release`; its URL."""
        return self.handle(name).url

    def handle(self, name: str) -> private.Handle:
        """Keep a database up until `release`; the hold on it."""
        if name not in self._handles:
            with self._here():
                prepare(name, self._var)
                self._handles[name] = private.join(name)
        return self._handles[name]

    @contextlib.contextmanager
    def down(self, name: str) -> Iterator[None]:
        """The database killed, and away for the length of the block."""
        self.hold(name)
        with self._here(), private.down(name):
            yield

    @contextlib.contextmanager
    def frozen(self, name: str) -> Iterator[None]:
        """Every process of the database stopped (SIGSTOP) for the length of the block."""
        self.hold(name)
        with self._here():
            main = psutil.Process(self._handles[name].pid)
        processes = [main]
        try:
            # The one that starts the others first, so that none is started unseen meanwhile.
            main.suspend()
            processes += main.children(recursive=True)
            for process in processes[1:]:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.suspend()
            # On a busy machine a thread may go on for a moment, and answer.
            until(lambda: all(map(stands, processes)), STOP_SECONDS, "it does not stand still")
            yield
        finally:
            for process in processes:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.resume()

    def statistics_of(self, engine: str) -> Statistics:
        """The counters as the database of an engine has them now, in the engine's layout."""
        backend = parse(engine).plugins[1]
        assert backend.database
        store = store_of(backend.database, self.hold(backend.database), backend.layout)

        async def read() -> Statistics:
            await store.open()
            try:
                async with store.acquire() as data:
                    counters: Statistics = await data.statistics()
                    return counters
            finally:
                await store.close()

        return asyncio.run(read())

    def release(self) -> None:
        """Leave them and remove what they kept, also where it is outside the folder."""
        for name, handle in self._handles.items():
            handle.leave()
            _gone(self._var / name / "state.json")
            for home in parse_qs(urlsplit(handle.url).query).get("host", []):
                shutil.rmtree(home, ignore_errors=True)
        self._handles.clear()

    @contextlib.contextmanager
    def _here(self) -> Iterator[None]:
        before = os.environ.get("VAR_DIR")
        os.environ["VAR_DIR"] = str(self._var)
        try:
            yield
        finally:
            if before is None:
                del os.environ["VAR_DIR"]
            else:
                os.environ["VAR_DIR"] = before


def _gone(state: Path) -> None:
    """Wait for the supervisor to take the note of its database away."""
    until(lambda: not state.exists(), 15.0, f"{state} is still there: the database did not stop")


def stands(process: psutil.Process) -> bool:
    """Return whether every thread of a process is stopped or gone."""
    try:
        tasks = list(Path(f"/proc/{process.pid}/task").iterdir())
        states = [(task / "stat").read_text().rpartition(")")[2].split()[0] for task in tasks]
    except OSError:
        return not process.is_running()
    return set(states) <= set("TtZX")


def until(done: Callable[[], Any], seconds: float, complaint: str) -> Any:
    """Ask until the answer is true, and return it; AssertionError after that time."""
    deadline = time.monotonic() + seconds
    while True:
        answer = done()
        if answer:
            return answer
        assert time.monotonic() < deadline, complaint
        time.sleep(0.02)
