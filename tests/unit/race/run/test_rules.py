"""The rules that decide whether a measured cell counts, each tried by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from msgspec.structs import replace as changed

from race.discipline import Sample
from race.machine.cores import Layout
from race.run.measure import Measurement
from race.run.rules import (
    apart,
    bottleneck,
    disturbances,
    judge,
    least_seconds,
    little,
    no_latency,
    nobody_saturated,
    ramp_seconds,
)
from race.saved.model import Figures, Limits, Load

LOAD = Load("wrk", 100, 1, 1, None, 2.0)
TWO = {"server": frozenset([0]), "generator": frozenset([1]), "database": frozenset([1])}
LIMITS = Limits(steal=0.02, foreign=0.05, samples=200, little=0.15)
RATED = changed(LOAD, rate=1000.0)
NO_ERRORS = {"connect": 0, "read": 0, "write": 0, "timeout": 0, "status": 0}
# 100 connections, 1000 requests/s, 95 ms each, 2 s: 100 x (1 - 0.0475 / 2) = 97.6 are expected.
SAMPLE = Sample(2000, 2.0, NO_ERRORS, {"mean": 95_000.0}, busy_connections=95.0)


def busy(server: float, generator: float, own: float, database: float = 0.3) -> dict[str, Figures]:
    """Return how busy the cores were, and the generator's CPU time in 2 s."""
    return {
        "busy": {"server": server, "generator": generator, "database": database},
        "cpu_ns": {"generator": own * 2e9},
    }


# The server is the limit; the generator is.
BUSY, GENERATOR_BUSY = busy(1.0, 0.6, 0.6), busy(0.5, 1.0, 0.8)


def measured(
    sample: Sample = SAMPLE,
    steal: float = 0.0,
    foreign: float = 0.0,
    who: dict[str, Figures] = BUSY,
) -> Measurement:
    """A cell that was measured."""
    return Measurement(sample, {**who, "cores": {"steal": steal, "foreign": foreign}}, TWO)


def test_a_good_cell_is_valid() -> None:
    assert judge(LIMITS, LOAD, measured(SAMPLE, 0.02, 0.05)).reasons == ()


@pytest.mark.parametrize(
    ("sample", "steal", "foreign", "reason", "own"),
    [
        (SAMPLE, 0.021, 0.0, "steal 2.1% is over 2.0%", False),
        (SAMPLE, 0.0, 0.051, "foreign CPU 5.1% is over 5.0%", False),
        (replace(SAMPLE, errors={**NO_ERRORS, "read": 3}), 0, 0, "0.15% errors (read most)", True),
        (replace(SAMPLE, count=199), 0, 0, "199 are too few samples (under 200)", True),
        (replace(SAMPLE, busy_connections=60.0), 0, 0, "Little's law: 60 connections", True),
        (replace(SAMPLE, count=9), 0.5, 0, "steal 50.0%", False),
    ],
)
def test_each_rule(sample: Sample, steal: float, foreign: float, reason: str, own: bool) -> None:
    judged = judge(LIMITS, LOAD, measured(sample, steal, foreign))
    assert reason in "; ".join(judged.reasons)
    assert judged.own_fault is own


@pytest.mark.parametrize(
    ("share", "limit", "shown_text"),
    [
        (0.034, 0.02, ("3.4%", "2.0%")),
        (0.02003, 0.02, ("2.003%", "2.000%")),
        (0.05 + 1e-9, 0.05, ("5.0000001%", "5.0000000%")),
        (0.0249, 0.02, ("2.5%", "2.0%")),
    ],
)
def test_a_share_over_its_limit_is_printed_so(
    share: float, limit: float, shown_text: tuple[str, str]
) -> None:
    """Words such as "steal 2.0% is over 2.0%" say nothing."""
    assert apart(share, limit) == shown_text
    cores = {"steal": share, "foreign": share}
    seen, allowed = shown_text
    assert disturbances(changed(LIMITS, steal=limit, foreign=limit), cores) == [
        f"steal {seen} is over {allowed}",
        f"foreign CPU {seen} is over {allowed}",
    ]


def test_errors_over_their_limit_are_printed_so() -> None:
    # 4 of 3,996: 0.1001 %.
    lossy = replace(SAMPLE, count=3992, errors={**NO_ERRORS, "read": 4})
    (reason,) = judge(LIMITS, LOAD, measured(lossy)).reasons
    assert reason == "0.1001% errors (read most) are over 0.1000%"


def test_too_few_samples_are_too_slow_unless_errors_came_instead() -> None:
    few = replace(SAMPLE, count=9)
    assert judge(LIMITS, LOAD, measured(few)).too_slow
    assert not judge(LIMITS, LOAD, measured()).too_slow
    late = replace(few, count=0, errors={**NO_ERRORS, "timeout": 100})
    assert judge(LIMITS, LOAD, measured(late)).too_slow
    wrong = replace(few, errors={**NO_ERRORS, "read": 300})
    assert not judge(LIMITS, LOAD, measured(wrong)).too_slow


def test_a_saturated_generator_is_not_the_contenders_fault() -> None:
    starved = replace(SAMPLE, busy_connections=60.0)
    assert judge(LIMITS, LOAD, measured(starved, who=busy(0.5, 0.79, 0.6))).own_fault
    judged = judge(LIMITS, LOAD, measured(starved, who=busy(0.5, 0.8, 0.6)))
    assert judged.reasons[0].endswith(": a fault of the generator, whose core was 80% busy")
    assert len(judged.reasons) == 1
    assert not judged.own_fault


def test_who_loses_requests_at_a_fixed_rate_is_overloaded() -> None:
    lossy = replace(SAMPLE, errors={**NO_ERRORS, "timeout": 3})
    assert judge(LIMITS, RATED, measured(lossy)).overloaded
    assert not judge(LIMITS, LOAD, measured(lossy)).overloaded
    assert not judge(LIMITS, RATED, measured(lossy, steal=0.5)).overloaded
    assert not judge(LIMITS, RATED, measured(lossy, who=GENERATOR_BUSY)).own_fault
    assert judge(LIMITS, LOAD, measured(lossy, who=GENERATOR_BUSY)).own_fault
    assert not judge(LIMITS, RATED, measured(replace(SAMPLE, count=9))).overloaded


def test_littles_law_by_hand() -> None:
    # In 1 s with a mean of 0.4 s a fifth of each connection's time is in no finished request.
    short = replace(SAMPLE, seconds=1.0, latency_us={"mean": 400_000.0}, busy_connections=80.0)
    assert little(LIMITS, short, LOAD) is None
    # 15 % off: 80 x 0.85 = 68.
    assert little(LIMITS, replace(short, busy_connections=67.0), LOAD) is not None
    assert little(LIMITS, replace(short, busy_connections=69.0), LOAD) is None
    assert little(LIMITS, replace(short, busy_connections=None), LOAD) is None


def test_an_open_loop_and_batches_have_no_law() -> None:
    lazy = measured(replace(SAMPLE, busy_connections=1.0))
    assert judge(LIMITS, RATED, lazy).reasons == ()
    assert judge(LIMITS, changed(LOAD, pipeline=24), lazy).reasons == ()


THREE = {**TWO, "database": frozenset([2])}
SHARED = {"server": frozenset([0, 1]), "generator": frozenset([1]), "database": frozenset([1])}


def use(generator: float, database: float | None) -> Figures:
    """CPU nanoseconds of 2 s."""
    known = {} if database is None else {"database": database * 2e9}
    return {"server": 1e9, "generator": generator * 2e9, **known, "harness": 1e6}


@pytest.mark.parametrize(
    ("layout", "fractions", "used", "who"),
    [
        (TWO, (0.9, 0.5, 0.5), use(0.4, 0.1), "server"),
        (TWO, (0.99, 1.0, 1.0), use(0.9, 0.1), "server"),
        (TWO, (0.899, 0.9, 0.9), use(0.6, 0.3), "generator"),
        (TWO, (0.8, 0.99, 0.99), use(0.3, 0.6), "database"),
        (TWO, (0.8, 0.899, 0.899), use(0.5, 0.3), "nobody"),
        # On cores of their own only saturated parties count.
        (THREE, (0.5, 0.95, 0.5), use(0.95, 0.5), "generator"),
        (THREE, (0.5, 0.8, 0.95), use(0.8, 0.95), "database"),
        (THREE, (0.5, 0.91, 0.95), use(0.91, 0.95), "database"),
        # Two workers: one of them may be what fills the generator's core.
        (SHARED, (0.7, 0.99, 0.99), use(0.5, 0.1), None),
        (SHARED, (0.95, 0.99, 0.99), use(0.5, 0.1), "server"),
        (dict.fromkeys(TWO, frozenset[int]()), (0.99, 0.99, 0.99), use(0.5, 0.1), None),
        ({}, (), {}, None),
    ],
)
def test_who_was_saturated(
    layout: Layout, fractions: tuple[float, ...], used: Figures, who: str | None
) -> None:
    busy = dict(zip(layout, fractions, strict=True))
    found = bottleneck(Measurement(SAMPLE, {"busy": busy, "cpu_ns": used}, layout))
    assert found.saturated == who
    assert (found.unknown is None) == (who is not None)


@pytest.mark.parametrize("layout", [TWO, THREE])
@pytest.mark.parametrize(
    ("server", "generator", "found"),
    [
        # A saturated server is the limit, whatever the unobserved parties did.
        (0.9, 0.5, ("server", None)),
        (0.9, 0.95, ("server", None)),
        # So is the generator where the server is not.
        (0.899, 0.95, ("generator", None)),
        # All who can be seen had time to spare: the database may have had none.
        (0.899, 0.899, (None, "the database could not be seen")),
    ],
)
def test_who_was_saturated_beside_a_database_elsewhere(
    layout: Layout, server: float, generator: float, found: tuple[str | None, str | None]
) -> None:
    busy = {"server": server, "generator": generator}
    meters = {"busy": busy, "cpu_ns": use(generator, None)}
    assert bottleneck(Measurement(SAMPLE, meters, layout)) == found


def test_why_nobody_knows_who_was_saturated_is_said() -> None:
    free = dict.fromkeys(TWO, frozenset[int]())
    meters: dict[str, Figures] = {"busy": dict.fromkeys(TWO, 0.99), "cpu_ns": use(0.5, 0.1)}
    assert bottleneck(Measurement(SAMPLE, meters, free)).unknown == "nothing was pinned to cores"
    shared: dict[str, Figures] = {**meters, "busy": {"server": 0.7, "generator": 0.99}}
    found = bottleneck(Measurement(SAMPLE, shared, SHARED))
    assert found == (None, "a core was saturated that the server shares")
    unseen: dict[str, Figures] = {"busy": {"server": 0.5}, "cpu_ns": {"server": 1e9}}
    found = bottleneck(Measurement(SAMPLE, unseen, TWO))
    assert found.unknown == "the generator and the database could not be seen"


@pytest.mark.parametrize(
    ("busiest", "idle"), [(0.99, False), (0.9, False), (0.899, True), (0.0, True)]
)
def test_more_connections_are_worth_a_try_while_nobody_is_saturated(
    busiest: float, idle: bool
) -> None:
    assert nobody_saturated({"server": 0.0, "generator": busiest}) is idle


DEEP = changed(LOAD, connections=16, pipeline=24)


@pytest.mark.parametrize(
    ("load", "busy", "shown_text"),
    [
        (DEEP, 13.6, None),
        (DEEP, 13.59, "14 of 16 connections were being answered"),
        (changed(DEEP, connections=100), 31.4, "31 of 100 connections were being answered"),
        (DEEP, None, None),
        (LOAD, 1.0, None),
    ],
)
def test_pipelined_connections_that_nobody_answers_leave_no_latency(
    load: Load, busy: float | None, shown_text: str | None
) -> None:
    assert no_latency(replace(SAMPLE, busy_connections=busy), load) == shown_text


def test_the_ramp_of_a_pipelined_load_by_hand() -> None:
    # Turns of 24, 48, ... 384 requests: 24 x (1 + 2 + ... + 16) = 24 x 136 = 3264.
    assert ramp_seconds(DEEP, 50_000) == pytest.approx(3264 / 50_000)
    assert ramp_seconds(changed(DEEP, connections=100), 50_000) == pytest.approx(2.424)
    assert ramp_seconds(LOAD, 50_000) == 0.0


@pytest.mark.parametrize(
    ("load", "throughput", "seconds"),
    [
        # 200 samples; 3264 requests are 5 % of 65,280.
        (LOAD, 100.0, 20.0),
        # Half an answer on each of 100 connections is 2.5 % of 2,000 answers.
        (LOAD, 1_000.0, 2.0),
        (changed(LOAD, connections=4), 1_000.0, 0.2),
        # A runner waits for what is under way: half an operation, 50 ms, is a tenth of 0.5 s.
        (changed(LOAD, fixed=True), 1_000.0, 0.5),
        (changed(LOAD, fixed=True, connections=4), 1_000.0, 0.2),
        (changed(LOAD, rate=100.0), 100.0, 2.0),
        (DEEP, 50_000.0, 1.3056),
        (DEEP, 652_800.0, 0.1),
    ],
)
def test_a_cell_lasts_long_enough(load: Load, throughput: float, seconds: float) -> None:
    assert least_seconds(LIMITS, load, throughput) == pytest.approx(seconds)
    assert least_seconds(LIMITS, load, 0.0) > 1e6
