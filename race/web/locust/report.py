"""Reads the report of a Locust run (report.json of docs/locust.md) as the result of a load.

Locust rounds times to whole milliseconds and two digits: percentiles here are exactly what it
counted, and no finer. Times of failed requests are among them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from race.discipline import Sample
from race.load.generator import ERROR_KINDS, LoadResult, PostedChanges
from race.saved.model import Load, Moment, UnitSummary
from race.stats.histogram import percentile
from race.web.changes import VOTING

Report = Mapping[str, Any]
Histogram = Sequence[tuple[float, int]]

PERCENTILES = {"p50": 50.0, "p95": 95.0, "p99": 99.0, "max": 100.0}
LEAST_US = 500.0  # Locust counts less than half a millisecond as 0
# Words of Locust's errors, in small letters; any other error is a wrong answer.
KINDS = {
    "timeout": ("timed out", "timeout"),
    "connect": ("refused", "unreachable", "gaierror", "no route"),
    "read": ("reset", "closed", "aborted", "incomplete", "remotedisconnected", "badstatusline"),
    "write": ("broken pipe", "brokenpipe"),
}
WRONG = "status"
NEAR_SECONDS = 1.0  # a moment has the connections of a sample that is no farther away


def load_result(report: Report, load: Load) -> LoadResult:
    """Return the result of a run. ValueError if it is no measurement."""
    if not report["verdict"]["valid"]:
        raise ValueError("; ".join(report["verdict"]["reasons"]))
    total = report["total"]
    failed = int(total["failures"])
    histogram = times(total)
    sample = Sample(
        count=int(total["requests"]) - failed,
        seconds=float(report["ended"]) - float(report["begun"]),
        errors=errors(report["failures"]),
        latency_us=percentiles(histogram),
        histogram=histogram,
        timeline=timeline(report),
        by_name={str(page["page"]): part(page) for page in report["pages"]},
    )
    spent = report.get("cpu_seconds")
    return LoadResult(sample, votes(report, load), None if spent is None else round(spent * 1e9))


def times(counts: Report) -> list[tuple[float, int]]:
    """Return pairs (microseconds, requests) on Locust's own grid, so that runs can be added up."""
    found = sorted((float(time), int(number)) for time, number in counts["times"].items())
    return [(max(LEAST_US, time * 1000), number) for time, number in found]


def percentiles(histogram: Histogram) -> dict[str, float]:
    """Return nearest-rank percentiles in microseconds, none without requests."""
    found = {name: percentile(histogram, percent) for name, percent in PERCENTILES.items()}
    return {name: value for name, value in found.items() if value is not None}


def errors(failures: Sequence[Report]) -> dict[str, int]:
    """Count failures by ERROR_KINDS."""
    found = dict.fromkeys(ERROR_KINDS, 0)
    for one in failures:
        found[kind(str(one["error"]))] += int(one["count"])
    return found


def kind(error: str) -> str:
    """Return the kind of one of Locust's errors."""
    said = error.lower()
    return next((name for name, parts in KINDS.items() if any(p in said for p in parts)), WRONG)


def part(page: Report) -> UnitSummary:
    """Return the figures of one page."""
    failed = int(page["failures"])
    return UnitSummary(
        count=int(page["requests"]) - failed, errors=failed, latency_us=percentiles(times(page))
    )


def timeline(report: Report) -> list[Moment]:
    """Return the timeline, with the connections that the server had open to its database."""
    begun = float(report["begun"])
    samples = [
        (float(sample["time"]) - begun, int(sample["connections"]))
        for sample in report["server"]
        if sample.get("connections") is not None
    ]
    return [_moment(one, samples) for one in report["timeline"]]


def _moment(one: Report, samples: Sequence[tuple[float, int]]) -> Moment:
    at = float(one["second"])
    distance, connections = min(
        ((abs(when - at), number) for when, number in samples), default=(math.inf, None)
    )
    return Moment(
        at=at,
        users=int(one["users"]),
        throughput=float(one["requests_per_second"]),
        p50_us=_us(one["median"]),
        p95_us=_us(one["p95"]),
        connections=connections if distance <= NEAR_SECONDS else None,
    )


def _us(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else max(LEAST_US, milliseconds * 1000)


def votes(report: Report, load: Load) -> PostedChanges | None:
    """Return the votes of voters; the last ones may have been counted without an answer."""
    found = [page for page in report["pages"] if page["page"] == VOTING]
    if not found:
        return None
    failed = sum(int(page["failures"]) for page in found)
    acknowledged = sum(int(page["requests"]) for page in found) - failed
    return PostedChanges(acknowledged, failed + load.connections)
