"""Generators' outputs as figures, and what they are worth: validity, each rule by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from race.errors import CellFailed, RaceError
from race.plan.scenario import Validity
from race.run.rules import Busy, generator_bound, judge, little
from race.saved.model import Load
from race.web import counters
from race.web.load import GENERATORS, Sample, Target, generator
from race.web.load.build import Build
from race.web.load.oha import Oha
from race.web.load.wrk import Wrk

LOAD = Load("wrk", 100, 1, 1, None, 2.0)
TARGET = Target("http://127.0.0.1:1", "ugly", "/ugly", "python")
NO_ERRORS = {"connect": 0, "read": 0, "write": 0, "timeout": 0, "status": 0}
LIMITS = Validity()
# The server is the limit; the generator is.
BUSY, FULL = Busy(1.0, 0.6, 0.3, 0.6), Busy(0.5, 1.0, 0.3, 0.8)
# 100 connections, 1000 requests/s, 95 ms each, 2 s: 100 x (1 - 0.0475 / 2) = 97.6 are expected.
SAMPLE = Sample(2000, 2.0, 9, NO_ERRORS, {"mean": 95_000.0}, [], busy_connections=95.0)


def test_every_generator_of_the_registry_can_be_made() -> None:
    for name in GENERATORS:
        assert generator(name).missing() is None or "make" in str(generator(name).missing())
    with pytest.raises(RaceError, match="unknown load generator 'wrkk': did you mean 'wrk'"):
        generator("wrkk")


def test_wrk_is_told_page_depth_and_whole_seconds() -> None:
    words = Wrk().command(TARGET, replace(LOAD, pipeline=24, duration_s=1.2))
    assert words[:4] == ["wrk", "-c100", "-t1", "-d2s"]
    assert words[-4:] == ["--path", "/ugly", "--depth", "24"]
    voting = Wrk().command(replace(TARGET, page="vote"), LOAD)
    assert voting[-2].endswith("vote.lua")


def test_wrk_without_a_result_line_is_no_result() -> None:
    with pytest.raises(ValueError, match="no result line"):
        Wrk().parse("Running 2s test", LOAD)


def test_oha_percentiles_are_nearest_ranks_and_lost_requests_are_slow_ones() -> None:
    rows = [f"0.0,0,0,0.001,{number / 1000},10,200" for number in range(1, 91)]
    rows += ["0.0,0,0,0.001,9.0,10,503"] * 5
    head = "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status"
    # 1000/s for 0.11 s: 100 were due before the last hundredth, 95 were answered, 5 with an error.
    load = Load("oha", 10, 1, 1, 1000.0, 0.11)
    sample = Oha().parse("\n".join([head, *rows]), load)
    assert sample.requests == 90
    assert (sample.errors["status"], sample.errors["timeout"]) == (5, 5)
    assert sample.bytes == 950
    # Ranks of 95 requests, 5 of them slower than all: ceil(47.5) = 48, ceil(85.5) = 86.
    assert sample.latency_us["p50"] == 48_000
    assert sample.latency_us["p90"] == 86_000
    assert "p99" not in sample.latency_us
    assert "mean" not in sample.latency_us
    assert sum(count for _, count in sample.histogram) == 90


def test_oha_buckets_are_those_of_the_wrk_scripts() -> None:
    head = "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status\n"
    rows = "\n".join(f"0,0,0,0,{us / 1e6:.7f},1,200" for us in (31, 32, 33, 1000))
    sample = Oha().parse(head + rows, Load("oha", 1, 1, 1, 1.0, 1.0))
    assert sample.histogram == [(31.0, 1), (33.0, 2), (1023.0, 1)]


def test_oha_without_an_answer_is_no_result() -> None:
    with pytest.raises(ValueError, match="no request was answered"):
        Oha().parse("", LOAD)


def test_building_objects_is_counted() -> None:
    assert Build().parse('{"objects": 1000, "seconds": 0.5}', LOAD).rps == 2000


def test_a_good_cell_is_valid() -> None:
    assert judge(LIMITS, SAMPLE, LOAD, 0.02, 0.05, True, BUSY).reasons == ()


@pytest.mark.parametrize(
    ("sample", "steal", "foreign", "reason", "own"),
    [
        (SAMPLE, 0.021, 0.0, "steal 2.1% is over 2.0%", False),
        (SAMPLE, 0.0, 0.051, "foreign CPU 5.1% is over 5.0%", False),
        (replace(SAMPLE, errors={**NO_ERRORS, "read": 3}), 0, 0, "0.15% errors (read most)", True),
        (replace(SAMPLE, requests=199), 0, 0, "199 requests are too few", True),
        (replace(SAMPLE, busy_connections=60.0), 0, 0, "Little's law: 60 connections", True),
        (replace(SAMPLE, requests=9), 0.5, 0, "steal 50.0%", False),
    ],
)
def test_each_rule(sample: Sample, steal: float, foreign: float, reason: str, own: bool) -> None:
    verdict = judge(LIMITS, sample, LOAD, steal, foreign, True, BUSY)
    assert reason in "; ".join(verdict.reasons)
    assert verdict.own_fault is own


def test_a_full_generator_is_not_the_contenders_fault() -> None:
    starved = replace(SAMPLE, busy_connections=60.0)
    verdict = judge(LIMITS, starved, LOAD, 0, 0, True, FULL)
    assert len(verdict.reasons) == 1
    assert not verdict.own_fault


def test_who_loses_requests_at_a_fixed_rate_is_overloaded() -> None:
    lossy, rated = replace(SAMPLE, errors={**NO_ERRORS, "timeout": 3}), replace(LOAD, rate=1000.0)
    assert judge(LIMITS, lossy, rated, 0, 0, False, BUSY).overloaded
    assert not judge(LIMITS, lossy, LOAD, 0, 0, True, BUSY).overloaded
    assert not judge(LIMITS, lossy, rated, 0.5, 0, False, BUSY).overloaded
    assert not judge(LIMITS, lossy, rated, 0, 0, False, FULL).own_fault
    assert judge(LIMITS, lossy, LOAD, 0, 0, True, FULL).own_fault
    assert not judge(LIMITS, replace(SAMPLE, requests=9), rated, 0, 0, False, BUSY).overloaded


def test_littles_law_by_hand() -> None:
    # In 1 s with a mean of 0.4 s a fifth of each connection's time is in no finished request.
    short = replace(SAMPLE, seconds=1.0, latency_us={"mean": 400_000.0}, busy_connections=80.0)
    assert little(LIMITS, short, LOAD) is None
    # 15 % off: 80 x 0.85 = 68.
    assert little(LIMITS, replace(short, busy_connections=67.0), LOAD) is not None
    assert little(LIMITS, replace(short, busy_connections=69.0), LOAD) is None
    assert little(LIMITS, replace(short, busy_connections=None), LOAD) is None


def test_an_open_loop_and_batches_have_no_law() -> None:
    lazy = replace(SAMPLE, busy_connections=1.0)
    assert judge(LIMITS, lazy, LOAD, 0, 0, False, BUSY).reasons == ()
    assert judge(LIMITS, lazy, replace(LOAD, pipeline=24), 0, 0, True, BUSY).reasons == ()


@pytest.mark.parametrize(
    ("busy", "bound", "idle"),
    [
        (Busy(server=0.99, generator=0.99, database=0.99, generator_own=0.9), False, False),
        (Busy(server=0.5, generator=0.99, database=0.99, generator_own=0.9), True, False),
        (Busy(server=0.5, generator=0.99, database=0.99, generator_own=0.2), False, False),
        (Busy(server=0.5, generator=0.5, database=0.5, generator_own=0.4), False, True),
    ],
)
def test_who_was_the_limit(busy: Busy, bound: bool, idle: bool) -> None:
    assert generator_bound(busy) is bound
    assert busy.nobody_saturated is idle


def test_votes_must_agree_with_the_database() -> None:
    votes = {"posted": 12, "acknowledged": 10, "refused": 0, "unanswered": 2}
    sample = replace(SAMPLE, votes=votes)
    for counted in (110, 112):
        counters.check_votes(100, counted, sample)
    for counted in (109, 113):
        with pytest.raises(CellFailed, match=f"counted {counted - 100}"):
            counters.check_votes(100, counted, sample)
    counters.check_votes(None, None, sample)
    counters.check_votes(1, 5, SAMPLE)
