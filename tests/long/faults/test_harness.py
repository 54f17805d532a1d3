"""A race is killed at random moments."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from runtime.child import unguarded
from tests.long.faults.conftest import Extent
from tests.long.faults.page import Record
from tests.support.faults.marked import MARK, new_mark, wait_until_none_is_left
from tests.support.race_lab import Race, scenario

# SIGKILL most of the time: the other signals can be caught, and the race then stops in order.
SIGNALS = [signal.SIGKILL] * 4 + [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]

pytestmark = pytest.mark.fault(
    "a killed race",
    "No process outlives it by more than 15 s, whatever the signal and the moment, and the cells "
    "that it had saved can be read.",
    bound=1800,
)


def test_killed_race(tmp_path: Path, extent: Extent, record: Record) -> None:
    chance = extent.random("harness")
    kills = extent.times(full=50, short=5)
    record.tried = f"{kills} kills"
    record.text = "recovery is the end of its last process"
    path = scenario(tmp_path, ["aiohttp-tarantool-one"], ["vote"])
    # A latency between server and database is one more process that must end.
    path.write_text("link = [0, 1]\n" + path.read_text())
    longest = start(path, tmp_path / "whole", record, signal.SIGKILL, None)
    for number in range(kills):
        how = chance.choice(SIGNALS) if number else signal.SIGKILL
        start(path, tmp_path / str(number), record, how, chance.uniform(0.0, longest))


def start(
    path: Path, folder: Path, record: Record, how: signal.Signals, moment: float | None
) -> float:
    """Run a race and kill it after a number of seconds; return how long it ran."""
    with new_mark() as mark:
        env = {**unguarded(), "VAR_DIR": str(folder / "var"), MARK: mark}
        with Race(["run", str(path)], folder / "results", env) as race:
            began = time.monotonic()
            while race.process.poll() is None and time.monotonic() - began < (moment or 100.0):
                time.sleep(0.01)
            killed = time.monotonic()
            if race.process.poll() is None:
                os.kill(race.process.pid, how)
                race.wait()
            wait_until_none_is_left(mark)
            record.recovery += [] if moment is None else [time.monotonic() - killed]
            if any(race.saved.glob("*/run.json")):
                race.saved_race()
            assert moment or race.process.returncode == 0, race.text()
    return killed - began
