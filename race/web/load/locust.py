"""Locust: users that think, as many as a shape says; our locustfile without a page, one process."""

from __future__ import annotations

import importlib.util
import json
import math
import subprocess
import sys
from collections.abc import Sequence

from race.errors import RaceError
from race.saved.model import Load, UserLoad
from race.web.load.generator import Seen, Target
from race.web.load.locust_report import seen
from race.web.locust.raced import MARK, Errand
from runtime.paths import ROOT

CURVE = [sys.executable, "-m", "locustfiles.shapes.seconds"]
CURVE_SECONDS = 20.0
VERSION = "import importlib.metadata as known; print(known.version('locust'))"
# All at once, whatever the shape: a server that rested wakes up.
WARMING = 10


class Locust:
    """See ``generator.Shaped``. What came of a run is in the report of our locustfile."""

    open_loop = False
    # SIGINT in its start would lose all, and it starts for seconds.
    interruptible = False
    version = (sys.executable, "-c", VERSION)

    def missing(self) -> str | None:
        """It is one of the packages of the environment."""
        found = importlib.util.find_spec("locust")
        return None if found else "Locust is not installed: make env"

    def command(self, target: Target, load: Load) -> list[str]:
        """`raced` in a process of its own, which starts Locust and looks at the database."""
        user_load = load.user_load
        if user_load is None:
            raise RaceError("Locust drives by a shape: load.shape and load.user are missing")
        shaped = load.duration_s == len(self.curve(user_load))
        errand = Errand(
            host=target.url,
            user=user_load.user,
            shape=user_load.shape if shaped else "",
            options=user_load.options if shaped else (),
            users=min(load.connections, WARMING),
            seconds=math.ceil(load.duration_s),
            server=target.beside.server,
            database=target.beside.database,
            where=target.beside.where,
        )
        return [sys.executable, "-m", "race.web.locust.raced", errand.text()]

    def parse(self, output: str, load: Load) -> Seen:
        """The line of `raced`."""
        for line in output.splitlines():
            if line.startswith(MARK):
                return seen(json.loads(line.removeprefix(MARK)), load)
        raise ValueError("Locust left no report")

    def curve(self, user_load: UserLoad) -> Sequence[int]:
        """Asked of the shapes themselves, which import nothing of ours, nor we of theirs."""
        return _curve(user_load)


def _curve(user_load: UserLoad) -> tuple[int, ...]:
    """RaceError with the line of the shapes when they refuse."""
    if user_load not in _known:
        words = [*CURVE, user_load.shape, *(f"{name}={value}" for name, value in user_load.options)]
        try:
            answer = subprocess.run(
                words, capture_output=True, text=True, timeout=CURVE_SECONDS, cwd=ROOT, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise RaceError(f"the shape {user_load.shape} cannot be asked: {error}") from None
        if answer.returncode != 0:
            said = answer.stderr.strip().splitlines() or ["it ended without a word"]
            raise RaceError(f"load.shape: {said[-1]}")
        _known[user_load] = tuple(json.loads(answer.stdout))
    return _known[user_load]


_known: dict[UserLoad, tuple[int, ...]] = {}
