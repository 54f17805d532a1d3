"""The time of cores: which are whose, how busy they were, and by whom."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from race.discipline import Sample
from race.machine import cores, proc
from race.machine.cores import Layout
from race.machine.meters import HERE
from race.machine.meters import cores as meter
from race.machine.meters.busy import CoreUse, Reading
from race.machine.proc import Clock, CoreReading, CoreTime
from race.saved.model import Figures

S = 1_000_000_000
TICK = proc.TICK_NS
CPU_NS = {"server": 1.5 * S, "generator": 0.5 * S, "database": 0.25 * S, "harness": 1e6}
PARTIES = ("server", "generator", "database")


def stood(
    seconds: float, idle: float = 0.0, steal: float = 0.0, interrupts: float = 0.0
) -> tuple[CoreReading, CoreReading]:
    """Readings of three cores that all idled so many seconds."""
    passed = CoreTime(*(round(part * S / TICK) for part in (idle, steal, interrupts)))
    return (
        CoreReading(5, dict.fromkeys(range(3), CoreTime(0, 0, 0))),
        CoreReading(5 + round(seconds * S), dict.fromkeys(range(3), passed)),
    )


def layout(server: list[int], generator: list[int], database: list[int]) -> Layout:
    """Cores by party."""
    lists = (server, generator, database)
    return {name: frozenset(mine) for name, mine in zip(PARTIES, lists, strict=True)}


@pytest.mark.parametrize(
    ("where", "cpu_ns", "steal", "busy"),
    [
        # Clocks of all that share a core, over the load's 2 s; the readings are 2.5 s apart.
        (layout([0], [1], [1]), CPU_NS, 0.0, (0.75, 0.375, 0.375)),
        (layout([0], [1], [2]), CPU_NS, 0.0, (0.75, 0.25, 0.125)),
        (layout([0, 2], [1], [1]), CPU_NS, 0.0, (0.375, 0.375, 0.375)),
        # A tenth of the time was stolen: 1.5 s of 1.8 s.
        (layout([0], [1], [1]), CPU_NS, 0.25, (0.833, 0.417, 0.417)),
        # A database without a process has no fraction, and takes nothing from its neighbour's.
        (layout([0], [1], [1]), {"server": S, "generator": S}, 0.0, (0.5, 0.5)),
        (layout([0], [1], [2]), {"server": S, "generator": 1.6 * S}, 0.0, (0.5, 0.8)),
        # A share of core 1 that is not known counts as that of a whole core.
        (layout([0, 1], [1], [1]), CPU_NS, 0.0, (0.562, 0.5, 0.5)),
        (layout([], [], []), CPU_NS, 0.0, (0.375, 0.375, 0.375)),
    ],
)
def test_busy_is_what_the_processes_used(
    monkeypatch: pytest.MonkeyPatch,
    where: Layout,
    cpu_ns: Figures,
    steal: float,
    busy: tuple[float, ...],
) -> None:
    monkeypatch.setattr(cores, "GIVEN", frozenset(range(3)))
    everybody = frozenset(range(3))
    mine = {name: own or everybody for name, own in where.items()}
    before, after = ({HERE: Reading(mine, one)} for one in stood(2.5, 1.5, steal))
    found = CoreUse().between(before, after, Sample(1, 2.0), {"cpu_ns": cpu_ns})
    assert tuple(found.values()) == busy


def test_the_start_and_end_of_a_generator_are_no_load() -> None:
    before, after = ({HERE: Reading(layout([0], [1], [1]), one)} for one in stood(2.5))
    sample = Sample(1, 2.0, beside_ns={"generator": S // 10})
    found = CoreUse().between(before, after, sample, {"cpu_ns": CPU_NS})
    assert found == {"server": 0.75, "generator": 0.325, "database": 0.325}


def test_interrupts_that_no_clock_has_fill_a_core_too() -> None:
    mine = layout([0], [1], [1])
    before, after = ({HERE: Reading(mine, one)} for one in stood(2.0, 0.3, 0.0, 0.2))
    found = CoreUse().between(before, after, Sample(1, 2.0), {"cpu_ns": CPU_NS})
    assert found == {"server": 0.85, "generator": 0.475, "database": 0.475}


@pytest.mark.parametrize(("ours", "foreign"), [(0.4, 0.2), (0.8, 0.0), (0.9, -0.05), (0.0, 0.4)])
def test_foreign_time_keeps_its_sign(ours: float, foreign: float) -> None:
    # Of 2 s one core idled 1 s; 0.1 s were stolen, and 0.1 s went to interrupts without a process.
    passed = proc.passed_between(*stood(2.0, 1.0, 0.1, 0.1), [0])
    assert passed.foreign(ours * S) == pytest.approx(foreign)


@pytest.mark.parametrize(("others", "foreign"), [(0.0, 0.0), (0.06, 0.03), (9.0, 0.2), (None, 0.2)])
def test_foreign_time_is_no_more_than_others_used(others: float | None, foreign: float) -> None:
    passed = proc.passed_between(*stood(2.0, 1.0, 0.1, 0.1), [0])
    used = None if others is None else int(others * S)
    assert passed.foreign(0.4 * S, used) == pytest.approx(foreign)
    assert passed.foreign(0.9 * S, used) == pytest.approx(-0.05)


def test_what_processes_used_between_two_readings() -> None:
    before = {1: Clock(10, 5), 2: Clock(50, 20), 3: Clock(7, 0)}
    # 1 has waited for 2, which used 4 more, and for another one, which began meanwhile and used 6;
    # 3 worked on; 4 began.
    after = {1: Clock(11, 5 + 74 + 6), 3: Clock(9, 0), 4: Clock(100, 3)}
    assert proc.used_between(before, after) == 1 + 2 + 100 + 3 + 4 + 6
    # Nobody waited for 2: what it had used does not hide what others use.
    assert proc.used_between(before, {1: Clock(10, 5), 3: Clock(9, 0)}) == 2


def test_the_time_of_cores_adds_up() -> None:
    before = CoreReading(10, {0: CoreTime(1, 2, 3), 1: CoreTime(0, 0, 0)})
    after = CoreReading(110, {0: CoreTime(11, 3, 5), 1: CoreTime(4, 0, 0)})
    assert proc.passed_between(before, after, [0, 1]) == (200, 14 * TICK, TICK, 2 * TICK)
    assert proc.passed_between(before, after, [1]) == (100, 4 * TICK, 0, 0)


def test_the_kernel_counts_our_cores() -> None:
    reading = proc.read_cores(cores.allowed())
    assert set(reading.cores) == os.sched_getaffinity(0)
    assert all(time.idle > 0 for time in reading.cores.values())


def test_one_thread_of_every_physical_core_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for core, siblings in enumerate(("0-1", "0-1", "2-3", "2-3")):
        (tmp_path / f"cpu{core}").write_text(f"{siblings}\n")
    monkeypatch.setattr(
        proc, "open", lambda path: (tmp_path / path.split("/")[5]).open(), raising=False
    )
    assert proc.in_order({3, 2, 1, 0, 9}) == [0, 2, 9, 1, 3]


@pytest.mark.parametrize(("irq", "interrupts"), [(0, 0), (7, 37)])
def test_interrupts_are_left_out_where_the_kernel_accounts_them_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, irq: int, interrupts: int
) -> None:
    stat = tmp_path / "stat"
    stat.write_text(f"cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 100 1 50 1000 6 {irq} 30 4 0 0\nintr 5\n")
    monkeypatch.setattr(proc, "open", lambda path: stat.open(), raising=False)
    assert proc.read_cores([0]).cores == {0: CoreTime(1006, 4, interrupts)}


@pytest.mark.parametrize(("core", "foreign"), [(2, -0.1 / 3), (7, 0.0)])
def test_the_harness_is_ours_where_it_may_run(
    monkeypatch: pytest.MonkeyPatch, core: int, foreign: float
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {core})
    found = {"cpu_ns": {"one": 1.5 * S, "harness": 0.1 * S}}
    before, after = ({HERE: meter.Reading(frozenset(), one, None)} for one in stood(1.0, 0.5))
    passed = meter.Cores().between(before, after, Sample(1, 1.0), found)
    assert passed["foreign"] == pytest.approx(foreign)


def test_a_machine_without_a_party_has_no_cores() -> None:
    assert cores.assign([]) == {}
    with cores.kept_off({}):
        assert os.sched_getaffinity(0)


def test_cores_of_two_machines_are_told_apart() -> None:
    """Core 0 of both was busy for half of the time: the server took 0.4 s of it, the generator,
    on the other machine, 0.1 s.
    """
    readings, mine = stood(1.0, 0.5), {"server": frozenset([0])}
    there = {"generator": frozenset([0])}
    used: Figures = {"server": 0.4 * S, "generator": 0.1 * S, "harness": 0}
    before, after = ({HERE: Reading(mine, one), "far": Reading(there, one)} for one in readings)
    busy = CoreUse().between(before, after, Sample(1, 1.0), {"cpu_ns": used})
    assert busy == {"server": 0.4, "generator": 0.1}
    here, far = (
        {
            HERE: meter.Reading(frozenset(mine), one, None),
            "far": meter.Reading(frozenset(there), one, None),
        }
        for one in readings
    )
    found = meter.Cores().between(here, far, Sample(1, 1.0), {"cpu_ns": used})
    passed = proc.passed_between(*readings, readings[0].cores)
    # The other machine was disturbed more; this one does not dilute it.
    assert found["foreign"] == pytest.approx((passed.busy - 0.1 * S) / passed.whole)


def test_what_nobody_used_is_unclaimed_and_not_foreign() -> None:
    before, after = (
        {HERE: meter.Reading(frozenset(), one, {1: Clock(used, 0)})}
        for one, used in zip(stood(1.0), (0, 9), strict=True)
    )
    passed = meter.Cores().between(before, after, Sample(1, 1.0), {"cpu_ns": {"one": 0.4 * S}})
    assert passed["foreign"] == pytest.approx(0, abs=1e-6)
    assert passed["unclaimed"] > 0.1


@pytest.mark.parametrize(
    ("available", "workers", "lists"),
    [
        ([3], 1, [[], [], []]),
        ([0, 1], 1, [[0], [1], [1]]),
        ([0, 1, 2, 3], 1, [[0], [1], [2]]),
        ([0, 1, 2, 3], 2, [[0, 1], [2], [3]]),
        ([0, 1, 2, 3], 3, [[0, 1, 2], [3], [3]]),
        ([0, 1], 2, [[0, 1], [1], [1]]),
    ],
)
def test_who_is_under_test_has_cores_of_its_own(
    available: list[int], workers: int, lists: list[list[int]]
) -> None:
    found = cores.assign(PARTIES, workers, available)
    assert [sorted(found[name]) for name in PARTIES] == lists


def test_parties_may_share_one_core_or_run_on_any() -> None:
    one = cores.assign(PARTIES, 2, [0, 1, 2], "one")
    assert [sorted(one[name]) for name in PARTIES] == [[0], [0], [0]]
    assert set(cores.assign(PARTIES, 2, [0, 1, 2], "any").values()) == {frozenset()}


def test_the_harness_keeps_off_the_cores_that_are_measured() -> None:
    whole = os.sched_getaffinity(0)
    first = frozenset([min(whole)])
    with cores.kept_off({"server": first, "generator": frozenset(whole - first)}):
        assert os.sched_getaffinity(0) == whole - first
    with cores.kept_off({"server": frozenset(), "generator": frozenset()}):
        assert os.sched_getaffinity(0) == whole
    assert os.sched_getaffinity(0) == whole


def test_the_layout_is_the_same_wherever_the_harness_itself_runs() -> None:
    found = cores.assign(PARTIES)
    with cores.kept_off(found):
        assert cores.assign(PARTIES) == found
        assert set(cores.allowed()) == cores.GIVEN
