"""The time of cores: which are whose, how busy they were, and by whom."""

from __future__ import annotations

import os
import time

import pytest

from race.discipline import Party, Sample
from race.machine import calibrate, cores
from race.machine.meters.busy import CoreUse
from race.machine.meters.cores import Cores
from race.machine.meters.cpu import Cpu
from tests.support.burner import FOREVER, python

PARTIES = ("server", "generator", "database")


def test_a_core_says_nothing_of_who_cannot_be_seen() -> None:
    core = frozenset([max(cores.allowed())])
    one = {"one": Party(None, core)}
    meter = CoreUse()
    with python(FOREVER) as process:
        os.sched_setaffinity(process.pid, core)
        before, began = meter.read(one), time.monotonic()
        time.sleep(0.5)
        after, seconds = meter.read(one), time.monotonic() - began
        process.kill()
    assert meter.between(before, after, Sample(1, seconds), {"cpu_ns": {}}) == {}


def test_a_process_that_burns_fills_its_core_by_its_own_clock() -> None:
    core = frozenset([max(cores.allowed())])
    with python(FOREVER) as process:
        os.sched_setaffinity(process.pid, core)
        here = {"one": Party(process.pid, core)}
        cpu, use = Cpu(), CoreUse()
        before = cpu.read(here), use.read(here)
        time.sleep(0.5)
        used = cpu.between(before[0], cpu.read(here), Sample(1, 0.5), {})
        found = use.between(before[1], use.read(here), Sample(1, 0.5), {"cpu_ns": used})
        process.kill()
    # Others may run here: its clock, not the core's.
    assert found["one"] == pytest.approx(used["one"] / 0.5e9, abs=0.15)
    assert found["one"] > 0.05


def test_a_burner_that_is_not_ours_is_foreign_and_one_that_is_ours_is_not() -> None:
    """Two readings of the same time differ by the CPU time that the process used."""
    core = frozenset([max(cores.allowed())])
    with python(FOREVER) as process:
        os.sched_setaffinity(process.pid, core)
        meter, cpu = Cores(), Cpu()
        here, strange = {"one": Party(process.pid, core)}, {"one": Party(None, core)}
        before = cpu.read(here), meter.read(here), meter.read(strange)
        time.sleep(0.5)
        after = cpu.read(here), meter.read(here), meter.read(strange)
        process.kill()
    sample = Sample(1, 0.5)
    used = cpu.between(before[0], after[0], sample, {})
    ours = meter.between(before[1], after[1], sample, {"cpu_ns": used})
    nobodys = meter.between(before[2], after[2], sample, {"cpu_ns": {}})
    share = sum(used.values()) / (after[1][""].cores.clock_ns - before[1][""].cores.clock_ns)
    assert nobodys["foreign"] - ours["foreign"] == pytest.approx(share, abs=0.05)
    # A burner leaves no time idle: all of it is somebody's.
    assert nobodys["foreign"] + nobodys["steal"] > 0.85


def test_the_idle_reading_is_what_ran_and_was_not_ours() -> None:
    found = calibrate.idle(cores.assign(PARTIES), 0.2)
    assert found.keys() >= {"foreign", "steal", "seconds"}
    assert 0.2 <= found["seconds"] < 2
    assert -0.5 < found["foreign"] <= 1
    core = frozenset([max(cores.allowed())])
    with python(FOREVER) as process:
        os.sched_setaffinity(process.pid, core)
        busy = calibrate.idle({"one": core}, 0.5)
        process.kill()
    assert busy["foreign"] + busy["steal"] > 0.85
