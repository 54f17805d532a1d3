"""Commands and outputs of the load generators."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from race.errors import RaceError
from race.saved.model import Load
from race.web.load import GENERATORS, find
from race.web.load.generator import Target
from race.web.load.oha import Oha
from race.web.load.wrk import Wrk

LOAD = Load("wrk", 100, 1, 1, None, 2.0)
TARGET = Target("http://127.0.0.1:1", "ugly", "/ugly")


def test_every_generator_of_the_registry_can_be_made() -> None:
    for name in GENERATORS:
        assert find(name).missing() is None or "make" in str(find(name).missing())
    with pytest.raises(RaceError, match="unknown load generator 'wrkk': did you mean 'wrk'"):
        find("wrkk")


def test_wrk_is_told_page_depth_and_whole_seconds() -> None:
    words = Wrk().command(TARGET, replace(LOAD, pipeline=24, duration_s=1.2))
    assert words[:4] == ["wrk", "-c100", "-t1", "-d2s"]
    assert words[-4:] == ["--path", "/ugly", "--depth", "24"]
    voting = Wrk().command(Target(TARGET.url, "vote", "/"), LOAD)
    assert voting[-2].endswith("vote.lua")
    editing = Wrk().command(Target(TARGET.url, "sticker-edit", "/", cookie="manager=1"), LOAD)
    assert editing[-2].endswith("edit.lua")
    assert editing[1:3] == ["-H", "Cookie: manager=1"]


def test_wrk_without_a_result_line_is_no_result() -> None:
    with pytest.raises(ValueError, match="no result line"):
        Wrk().parse("Running 2s test", LOAD)


def test_oha_percentiles_are_nearest_ranks_and_lost_requests_are_slow_ones() -> None:
    rows = [f"0.0,0,0,0.001,{number / 1000},10,200" for number in range(1, 91)]
    rows += ["0.0,0,0,0.001,9.0,10,503"] * 5
    head = "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status"
    # 1000/s for 0.11 s: 100 were due before the last hundredth, 95 were answered, 5 with an error.
    load = Load("oha", 10, 1, 1, 1000.0, 0.11)
    sample = Oha().parse("\n".join([head, *rows]), load).sample
    assert sample.count == 90
    assert (sample.errors["status"], sample.errors["timeout"]) == (5, 5)
    assert sample.bytes == 950
    # Ranks of 95 requests, 5 of them slower than all: ceil(47.5) = 48, ceil(85.5) = 86.
    assert sample.latency_us["p50"] == 48_000
    assert sample.latency_us["p90"] == 86_000
    assert "p99" not in sample.latency_us
    assert "mean" not in sample.latency_us
    assert sum(count for _, count in sample.histogram) == 90


def test_oha_buckets_are_narrower_than_an_interval() -> None:
    head = "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status\n"
    rows = "\n".join(f"0,0,0,0,{us / 1e6:.7f},1,200" for us in (127, 128, 129, 1000))
    sample = Oha().parse(head + rows, Load("oha", 1, 1, 1, 1.0, 1.0)).sample
    assert sample.histogram == [(127.0, 1), (129.0, 2), (1007.0, 1)]


def test_oha_without_an_answer_is_no_result() -> None:
    with pytest.raises(ValueError, match="no request was answered"):
        Oha().parse("", LOAD)


def test_votes_that_wrk_posted_are_told_apart_from_its_sample() -> None:
    line = (
        'json: {"requests": 5, "duration_us": 1000000, "bytes": 9, "errors": {}, '
        '"votes": {"posted": 4, "acknowledged": 3, "refused": 0, "unanswered": 1}}'
    )
    result = Wrk().parse(line, LOAD)
    assert (result.sample.count, result.sample.throughput) == (5, 5.0)
    assert result.changes is not None
    assert (result.changes.acknowledged, result.changes.unanswered) == (3, 1)
    assert Wrk().parse(line.replace("votes", "edits"), LOAD).changes == result.changes
    assert Wrk().parse(line.replace("votes", "other"), LOAD).changes is None
    assert result.own_ns is None
    expected = Wrk().parse(line.replace('"bytes": 9', '"bytes": 9, "cpu_us": 61003.5'), LOAD)
    assert expected.own_ns == 61_003_500
