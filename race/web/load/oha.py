"""oha: an open loop at a fixed rate, with latencies from when a request was due."""

from __future__ import annotations

import csv
import math
import shutil
from collections import Counter
from pathlib import Path

from race.discipline import Sample
from race.saved.model import Load
from race.web.load.generator import ERROR_KINDS, LoadResult, Target

TIMEOUT = "5s"
LAST_TICK = 0.01
"""Seconds at the end whose requests may or may not still leave."""
CARGO = Path.home() / ".cargo" / "bin" / "oha"
PERCENTILES = {"p50": 50.0, "p75": 75.0, "p90": 90.0, "p99": 99.0, "p99.9": 99.9}


def program() -> str | None:
    """Return oha on PATH, or where cargo puts it."""
    return shutil.which("oha") or (str(CARGO) if CARGO.exists() else None)


class Oha:
    """oha with a row for each answer: the buckets of its own histogram cannot be merged."""

    open_loop = True
    interruptible = False
    version = ("oha", "--version")

    def missing(self) -> str | None:
        return None if program() else "oha is not installed: make oha (takes some minutes)"

    def command(self, target: Target, load: Load) -> list[str]:
        # With --latency-correction a request that must wait for a connection counts its wait.
        words = [program() or "oha", "-z", f"{round(load.duration_s * 1000)}ms"]
        words += ["-c", str(load.connections), "-q", f"{load.rate or 1:.0f}", "-t", TIMEOUT]
        words += ["--latency-correction", "--wait-ongoing-requests-after-deadline"]
        words += ["--no-tui", "--worker-threads", "1", "--output-format", "csv"]
        words += ["-H", f"Cookie: {target.cookie}"] if target.cookie else []
        return [*words, target.url + target.path]

    def parse(self, output: str, load: Load) -> LoadResult:
        """Read the rows; requests that were due and have none are timeouts."""
        rows = list(csv.DictReader(output.splitlines()))
        if not rows:
            raise ValueError("no request was answered")
        good = [row for row in rows if int(row["status"]) < 400]
        errors = dict.fromkeys(ERROR_KINDS, 0)
        errors["status"] = len(rows) - len(good)
        due = math.floor((load.rate or 0) * (load.duration_s - LAST_TICK))
        errors["timeout"] = max(0, due - len(rows))
        latencies = sorted(round(float(row["request-duration"]) * 1e6) for row in good)
        sample = Sample(
            count=len(good),
            seconds=load.duration_s,
            bytes=sum(int(row["bytes"]) for row in rows),
            errors=errors,
            latency_us=_figures(latencies, errors["timeout"]),
            histogram=_histogram(latencies),
        )
        return LoadResult(sample)


def _figures(latencies: list[int], lost: int) -> dict[str, float]:
    """Return nearest-rank percentiles; the lost requests took longer than all answers."""
    figures: dict[str, float] = {}
    for name, percent in PERCENTILES.items():
        rank = math.ceil(percent / 100 * (len(latencies) + lost) - 1e-9)
        if 0 < rank <= len(latencies):
            figures[name] = float(latencies[rank - 1])
    if latencies and not lost:
        figures["max"] = float(latencies[-1])
        figures["mean"] = sum(latencies) / len(latencies)
    return figures


def _histogram(latencies: list[int]) -> list[tuple[float, int]]:
    """Count in buckets that are narrower than the interval of any percentile."""
    counts = Counter(_bucket(latency) for latency in latencies)
    return [(float(upper), counts[upper]) for upper in sorted(counts)]


def _bucket(latency: int) -> int:
    """Return the upper end of a bucket: exact below 128 us, then 64 buckets an octave (1.6 %)."""
    width = 1
    while latency >= 128 * width:
        width *= 2
    return (latency // width + 1) * width - 1
