"""The report of Locust as the result of a load."""

from __future__ import annotations

from typing import Any

import pytest

from race.saved.model import Load, Moment, UnitSummary, UserLoad
from race.web.locust.generator import Locust
from race.web.locust.report import kind, load_result

LOAD = Load("locust", 9, duration_s=4.0, user_load=UserLoad("Reporter", "Steps"))


def page(name: str, times: dict[int, int], failures: int = 0) -> dict[str, Any]:
    return {
        "page": name,
        "method": "GET",
        "requests": sum(times.values()),
        "failures": failures,
        "times": {str(time): number for time, number in times.items()},
    }


def report(**more: Any) -> dict[str, Any]:
    """Return the report of a short run."""
    return {
        "begun": 1000.0,
        "ended": 1004.0,
        "cpu_seconds": 0.5,
        "verdict": {"valid": True, "reasons": [], "limits_passed": []},
        "total": page("Aggregated", {0: 1, 12: 5, 900: 4}, 2),
        "pages": [page("Report 1", {0: 1, 12: 5}), page("Report 3", {900: 4}, 2)],
        "failures": [
            {
                "page": "Report 3",
                "method": "GET",
                "error": "CatchResponseError('status 503, not 200')",
                "count": 1,
            },
            {"page": "Report 3", "method": "GET", "error": "timeout('timed out')", "count": 1},
        ],
        "timeline": [
            {
                "second": second,
                "users": 3,
                "requests_per_second": 2.5,
                "failures_per_second": 0.0,
                "median": 12,
                "p95": None,
            }
            for second in (1.0, 2.01, 5.0)
        ],
        "server": [
            {"time": 1001.2, "connections": 7},
            {"time": 1009.0, "connections": 1},
            {"time": 1002.0, "connections": None},
        ],
        **more,
    }


def test_a_report_as_figures() -> None:
    found = load_result(report(), LOAD)
    sample = found.sample
    assert (sample.count, sample.seconds, sample.throughput) == (8, 4.0, 2.0)
    assert {name: number for name, number in sample.errors.items() if number} == {
        "status": 1,
        "timeout": 1,
    }
    # Below a millisecond Locust says 0; the ranks of ten: 5 and ceil(9.5) = 10.
    assert sample.histogram == [(500.0, 1), (12_000.0, 5), (900_000.0, 4)]
    assert (sample.latency_us["p50"], sample.latency_us["p95"]) == (12_000.0, 900_000.0)
    assert sample.timeline == [
        Moment(at=1.0, users=3, throughput=2.5, p50_us=12_000.0, connections=7),
        Moment(at=2.01, users=3, throughput=2.5, p50_us=12_000.0, connections=7),
        Moment(at=5.0, users=3, throughput=2.5, p50_us=12_000.0, connections=None),
    ]
    times = dict.fromkeys(("p50", "p95", "p99", "max"), 900_000.0)
    assert sample.by_name["Report 3"] == UnitSummary(count=2, errors=2, latency_us=times)
    assert found.own_ns == 500_000_000
    assert found.changes is None


def test_votes_are_told_with_those_that_the_end_cut_off() -> None:
    found = load_result(report(pages=[page("Index", {1: 9}), page("vote", {2: 6}, 1)]), LOAD)
    assert found.changes is not None
    assert (found.changes.acknowledged, found.changes.unanswered) == (5, 10)


def test_no_request_is_no_figure_and_a_lost_worker_no_measurement() -> None:
    empty = load_result(
        report(total=page("Aggregated", {}), pages=[], failures=[], timeline=[]), LOAD
    )
    assert (empty.sample.count, empty.sample.latency_us, empty.sample.timeline) == (0, {}, [])
    lost = {"valid": False, "reasons": ["a worker was lost"], "limits_passed": []}
    with pytest.raises(ValueError, match="a worker was lost"):
        load_result(report(verdict=lost), LOAD)
    with pytest.raises(ValueError, match="Locust left no report"):
        Locust().parse("Steps begins: Reporter", LOAD)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("ConnectionRefusedError(111, 'Connection refused')", "connect"),
        ("HTTPConnectionClosed('connection closed.')", "read"),
        ("ConnectionResetError(104, 'Connection reset by peer')", "read"),
        ("BrokenPipeError(32, 'Broken pipe')", "write"),
        ("timeout('timed out')", "timeout"),
        ("CatchResponseError('no heading')", "status"),
    ],
)
def test_errors_have_the_kinds_of_all_generators(error: str, expected: str) -> None:
    assert kind(error) == expected
