"""Commands and outputs of the load generators."""

from __future__ import annotations

import json
from base64 import b64decode
from pathlib import Path

import pytest
from msgspec.structs import replace

from race.errors import RaceError
from race.load import GENERATORS, find
from race.load.generator import Target
from race.load.h2load import H2load
from race.load.oha import VERSION, Oha
from race.load.vegeta import MODULE, Vegeta, lateness
from race.load.wrk import Wrk
from race.saved.model import Load
from runtime.paths import ROOT

LOAD = Load("wrk", 100, 1, 1, None, 2.0)
TARGET = Target("http://127.0.0.1:1", "/ugly")


def test_every_generator_of_the_registry_can_be_made() -> None:
    for name in GENERATORS:
        assert find(name).missing() is None or "make" in str(find(name).missing())
    with pytest.raises(RaceError, match="unknown load generator 'wrkk': did you mean 'wrk'"):
        find("wrkk")


def test_wrk_is_told_page_depth_and_whole_seconds() -> None:
    words = Wrk().command(TARGET, replace(LOAD, pipeline=24, duration_s=1.2))
    assert words[:4] == ["wrk", "-c100", "-t1", "-d2s"]
    assert words[-4:] == ["--path", "/ugly", "--depth", "24"]
    voting = Wrk().command(Target(TARGET.url, "/", script="vote.lua"), LOAD)
    assert voting[-2].endswith("vote.lua")
    editing = Wrk().command(Target(TARGET.url, "/", script="edit.lua", cookie="manager=1"), LOAD)
    assert editing[-2].endswith("edit.lua")
    assert editing[1:3] == ["-H", "Cookie: manager=1"]


def test_wrk_without_a_result_line_is_no_result() -> None:
    with pytest.raises(ValueError, match="no result line"):
        Wrk().parse("Running 2s test", LOAD)


def test_generators_are_told_a_unix_socket() -> None:
    target = Target("http://127.0.0.1", "/items", socket="/run/shop.sock")
    words = Oha().command(target, LOAD)
    assert words[-3:] == ["--unix-socket", "/run/shop.sock", "http://127.0.0.1/items"]
    words = Vegeta().command(target, LOAD)
    assert words[words.index("-unix-socket") + 1] == "/run/shop.sock"
    target = Target("http://127.0.0.1", "/items", requests="/a/file", socket="/run/shop.sock")
    words = Wrk().command(target, LOAD)
    assert words[-4:] == ["http://unix/run/shop.sock", "--", "--file", "/a/file"]


H2LOAD = """\
1\t200\t100
2\t200\t300
3\t404\t200
4\t200\t900
requests: 3 total, 4 started, 3 done, 2 succeeded, 2 failed, 1 errored, 1 timeout
traffic: 3.08KB (3156) total, 2.19KB (2240) headers (space savings 0.00%), 48B (48) data
"""


def test_h2load_tells_answers_until_the_end_and_what_failed() -> None:
    sample = H2load().parse(H2LOAD, replace(LOAD, duration_s=0.5)).sample
    assert (sample.count, sample.seconds, sample.bytes) == (2, 0.5, 3156)
    assert sample.errors == {"connect": 0, "read": 0, "write": 0, "timeout": 1, "status": 1}
    assert sample.latency_us["p50"] == 300.0
    with pytest.raises(ValueError, match="no request was answered"):
        H2load().parse(H2LOAD.replace("3 done", "0 done"), LOAD)


def test_h2load_is_told_its_path_depth_and_socket_and_takes_no_script() -> None:
    words = H2load().command(Target("http://1", "/x", socket="/a", cookie="a=1"), LOAD)
    assert words[1:8] == ["--h1", "-D", "2000ms", "-c", "100", "-t", "1"]
    assert words[-5:] == ["-H", "Cookie: a=1", "-B", "unix:/a", "http://1/x"]
    with pytest.raises(RaceError, match="race this page with wrk"):
        H2load().command(Target("http://1", "/", script="vote.lua"), LOAD)


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
    assert Wrk().parse(line.replace("acknowledged", "x"), LOAD).changes is None
    assert result.own_ns is None
    expected = Wrk().parse(line.replace('"bytes": 9', '"bytes": 9, "cpu_us": 61003.5'), LOAD)
    assert expected.own_ns == 61_003_500


def vegeta(*rows: tuple[float, float, int, str], cpu: str = "0m0.120s 0m0.030s") -> str:
    """Return what the shell prints: seconds when each left and that it took, its status, an error.

    Rows come in the order of the answers.
    """
    begun = 1_795_479_079_317_864_023
    lines = [
        f'{begun + round(left * 1e9)},{status},{round(took * 1e9)},7,0,"{error}",,,0,GET,http://x/,'
        for left, took, status, error in sorted(rows, key=lambda row: row[0] + row[1])
    ]
    return "\n".join(["0m0.000s 0m0.000s", cpu, *lines])


def test_vegeta_latencies_count_from_when_a_request_was_due() -> None:
    """The third waits until a worker is free, and the fourth with it."""
    rows = [(0.1, 0.01, 200, ""), (0.2, 0.3, 200, ""), (0.5, 0.01, 200, ""), (0.51, 0.01, 200, "")]
    load = Load("vegeta", 1, rate=10.0, duration_s=0.4)
    result = Vegeta().parse(vegeta(*rows), load)
    found = [upper / 1000 for upper, _ in result.sample.histogram]
    assert found == pytest.approx([10, 120, 210, 300], rel=0.016)
    assert result.sample.latency_us["max"] == 300_000
    assert (result.sample.count, result.sample.failed) == (4, 0)
    assert result.own_ns == 150_000_000
    assert lateness([5, 100_000_005, 250_000_005], load) == [0, 0, 50_000_000]


def test_vegeta_errors_have_kinds_and_what_never_left_is_a_timeout() -> None:
    failed = [
        (0.2, 0.001, 0, "Get http://x/: dial tcp 127.0.0.1:1: connect: connection refused"),
        (0.3, 5.0, 0, "Get http://x/: context deadline exceeded (Client.Timeout exceeded)"),
        (0.4, 0.01, 503, "503 Service Unavailable"),
        (0.5, 0.01, 0, "Get http://x/: EOF"),
    ]
    load = Load("vegeta", 1, rate=10.0, duration_s=0.81)
    sample = Vegeta().parse(vegeta((0.1, 0.01, 204, ""), *failed), load).sample
    assert sample.errors == {"connect": 1, "read": 1, "write": 0, "timeout": 4, "status": 1}
    assert sample.count == 1
    assert "p99" not in sample.latency_us
    with pytest.raises(ValueError, match="no request was sent"):
        Vegeta().parse(vegeta(), load)


def test_vegeta_sends_the_requests_that_wrk_is_given(tmp_path: Path) -> None:
    post = b"POST /a%2Fb|c?q=1|2 HTTP/1.1\r\nHost: shop\r\naccept-encoding: gzip\r\n\r\n{\r\n\r\n}"
    get = b"GET / HTTP/1.1\r\nHost: shop\r\nCookie: a=1\r\n\r\n"
    path = tmp_path / "0.requests"
    path.write_bytes(b"".join(b"%d\n%s" % (len(one), one) for one in (post, get)))
    load = Load("vegeta", 3, rate=12.5, duration_s=0.5)
    words = Vegeta().command(Target("http://127.0.0.1:1", "/", requests=str(path)), load)
    assert " ".join(words).endswith(
        f"-targets {tmp_path}/0.json -format json -rate 12500/1000s -duration 500ms -timeout 5s "
        "-workers 3 -max-workers 3 -connections 3 -max-body 0 -redirects -1"
    )
    first, second = map(json.loads, (tmp_path / "0.json").read_text().splitlines())
    assert (first["method"], first["url"]) == ("POST", "http://127.0.0.1:1/a%2Fb%7Cc?q=1|2")
    assert (first["header"]["Host"], first["header"]["Accept-Encoding"]) == (["shop"], ["gzip"])
    assert b64decode(first["body"]) == b"{\r\n\r\n}"
    assert second["header"]["Accept-Encoding"] == ["identity"]
    assert second["header"]["Cookie"] == ["a=1"]
    assert "body" not in second


def test_vegeta_without_a_file_asks_for_the_path() -> None:
    target = Target("http://127.0.0.1:1", "/manage", cookie="manager=1")
    words = Vegeta().command(target, Load("vegeta", 3, rate=1.0))
    (one,) = (word.removeprefix("target=") for word in words if word.startswith("target="))
    assert json.loads(one)["url"] == "http://127.0.0.1:1/manage"
    assert json.loads(one)["header"]["Cookie"] == ["manager=1"]


def test_make_and_the_advice_without_a_checkout_install_one_version() -> None:
    make = (ROOT / "Makefile").read_text()
    assert f"go install -ldflags '-X main.Version={MODULE.partition('@')[2]}' {MODULE}\n" in make
    assert f"cargo install oha --locked --version {VERSION}\n" in make
