"""Locust as a load generator: users that think, as many as a shape says, in one process."""

from __future__ import annotations

import importlib.util
import json
import math
import subprocess
import sys
from collections.abc import Sequence
from functools import cache

import msgspec

from race.errors import RaceError
from race.load.generator import LoadResult, Target, WatchedProcesses
from race.saved.model import Load, UserLoad
from race.timeouts import TIMEOUTS
from race.web.locust.report import load_result
from race.web.locust.session import JSON_MARK
from runtime.paths import ROOT, extra

SECONDS = [sys.executable, "-m", "locustfiles.shapes.seconds"]
VERSION = "import importlib.metadata as known; print(known.version('locust'))"
WARM_UP_USERS = 10  # at once, whatever the shape: they wake up a server that was paused


class Locust:
    """The generator that runs `make locust` without a page and reads its report."""

    open_loop = False
    # SIGINT during its start would lose everything, and the start takes seconds.
    interruptible = False
    version = (sys.executable, "-c", VERSION)

    def missing(self) -> str | None:
        found = importlib.util.find_spec("locust")
        return None if found else f"Locust is not installed: {extra('locust')}"

    def command(self, target: Target, load: Load) -> list[str]:
        users = load.user_load
        if users is None:
            raise RaceError("Locust drives by a shape: load.shape and load.user are missing")
        words = [sys.executable, "-m", "race.web.locust", "--headless", "--json"]
        words += ["--host", target.url, "--user", users.user, "--watch", as_json(target.watched)]
        # Failures are figures here, which the race judges.
        limit = ["--", "--fail-ratio", "100%"]
        if load.duration_s == len(self.curve(users)):
            fields = [f"--{name.replace('_', '-')}={value}" for name, value in users.options]
            return [*words, "--shape", users.shape, *limit, *fields]
        number, seconds = min(load.connections, WARM_UP_USERS), math.ceil(load.duration_s)
        return [*words, *limit, "-u", str(number), "-r", str(number), "-t", f"{seconds}s"]

    def parse(self, output: str, load: Load) -> LoadResult:
        for line in output.splitlines():
            if line.startswith(JSON_MARK):
                return load_result(json.loads(line.removeprefix(JSON_MARK)), load)
        raise ValueError("Locust left no report")

    def curve(self, user_load: UserLoad) -> Sequence[int]:
        return _curve(user_load)


def as_json(watched: WatchedProcesses) -> str:
    """Return the processes as one word, without the database's user and password."""
    address = watched.address
    plain = address and address._replace(user=None, password=None, name=None)
    return msgspec.json.encode(WatchedProcesses(watched.server, watched.database, plain)).decode()


@cache
def _curve(user_load: UserLoad) -> tuple[int, ...]:
    """Ask the shapes, which import nothing of ours, nor we of theirs. RaceError has their line."""
    words = [*SECONDS, user_load.shape, *(f"{name}={value}" for name, value in user_load.options)]
    try:
        answer = subprocess.run(
            words, capture_output=True, text=True, timeout=TIMEOUTS.shape, cwd=ROOT, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RaceError(f"the shape {user_load.shape} cannot be asked: {error}") from None
    if answer.returncode != 0:
        said = answer.stderr.strip().splitlines() or ["it ended without a word"]
        raise RaceError(f"load.shape: {said[-1]}")
    return tuple(json.loads(answer.stdout))
