"""A race is killed at random moments."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from runtime.child import GUARD
from tests.long.faults.conftest import Extent
from tests.long.faults.page import Record
from tests.support.faults.marked import MARK, new_mark, wait_until_none_is_left
from tests.support.race_lab import Race, scenario
from tests.support.site_server import environment

# SIGKILL most of the time: the other signals can be caught, and the race then stops in order.
SIGNALS = [signal.SIGKILL] * 4 + [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]

WHOLE_SECONDS = 100.0

pytestmark = pytest.mark.fault(
    "a killed race",
    "No process outlives it by more than 15 s, whatever the signal and the moment, and the cells "
    "that it had saved can be read.",
    bound=1800,
)


def test_killed_race(tmp_path: Path, extent: Extent, record: Record) -> None:
    chance = extent.random("harness")
    kills = extent.times(full=20, short=5)
    record.tried = f"{kills} kills"
    record.text = "recovery is the end of its last process"
    path = scenario(tmp_path, ["aiohttp-tarantool-one"], ["vote"])
    # A latency between server and database is one more process that must end.
    path.write_text("link = [0, 1]\n" + path.read_text())
    longest, _ = run_and_kill(path, tmp_path / "whole", signal.SIGKILL, WHOLE_SECONDS)
    assert longest < WHOLE_SECONDS
    for number in range(kills):
        how = chance.choice(SIGNALS) if number else signal.SIGKILL
        moment = chance.uniform(0.0, longest)
        _, outlived = run_and_kill(path, tmp_path / str(number), how, moment)
        record.recovery.append(outlived)


def run_and_kill(
    path: Path, folder: Path, how: signal.Signals, moment: float
) -> tuple[float, float]:
    """Run a race and kill it after so many seconds, unless it has ended.

    Return how long it ran, and how long its last process outlived it.
    """
    with new_mark() as mark:
        env = {**environment(VAR_DIR=str(folder / "var")), MARK: mark}
        env.pop(GUARD, None)
        with Race(["run", str(path)], folder / "results", env) as race:
            began = time.monotonic()
            while race.process.poll() is None and time.monotonic() - began < moment:
                time.sleep(0.01)
            ended = time.monotonic()
            if race.process.poll() is None:
                os.kill(race.process.pid, how)
                race.wait()
            wait_until_none_is_left(mark)
            if any(race.saved.glob("*/run.json")):
                race.saved_race()  # which can be read, whatever it has
            return ended - began, time.monotonic() - ended
