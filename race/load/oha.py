"""oha: an open loop at a fixed rate, with latencies from when a request was due."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

from race.discipline import Sample
from race.load import exact
from race.load.generator import ERROR_KINDS, LoadResult, Target
from race.saved.model import Load
from runtime.paths import make

TIMEOUT = "5s"
VERSION = "1.16.0"
CARGO = Path.home() / ".cargo" / "bin" / "oha"


def program() -> str | None:
    """Return oha on PATH, or where cargo puts it."""
    return shutil.which("oha") or (str(CARGO) if CARGO.exists() else None)


class Oha:
    """oha with a row for each answer: the buckets of its own histogram cannot be merged."""

    open_loop = True
    interruptible = False
    version = ("oha", "--version")
    program = "oha"
    files = ""

    def missing(self) -> str | None:
        how = make("oha", f"cargo install oha --locked --version {VERSION}")
        return None if program() else f"oha is not installed: {how} (takes some minutes)"

    def command(self, target: Target, load: Load) -> list[str]:
        # With --latency-correction a request that must wait for a connection counts its wait.
        words = [target.program or program() or "oha", "-z", f"{round(load.duration_s * 1000)}ms"]
        words += ["-c", str(load.connections), "-q", f"{load.rate or 1:.0f}", "-t", TIMEOUT]
        words += ["--latency-correction", "--wait-ongoing-requests-after-deadline"]
        words += ["--no-tui", "--worker-threads", "1", "--output-format", "csv"]
        words += ["-H", f"Cookie: {target.cookie}"] if target.cookie else []
        words += ["--unix-socket", target.socket] if target.socket else []
        return [*words, target.url + target.path]

    def parse(self, output: str, load: Load) -> LoadResult:
        """Read the rows; requests that were due and have none are timeouts."""
        rows = list(csv.DictReader(output.splitlines()))
        if not rows:
            raise ValueError("no request was answered")
        good = [row for row in rows if int(row["status"]) < 400]
        errors = dict.fromkeys(ERROR_KINDS, 0)
        errors["status"] = len(rows) - len(good)
        errors["timeout"] = max(0, exact.due(load) - len(rows))
        latencies = sorted(round(float(row["request-duration"]) * 1e6) for row in good)
        sample = Sample(
            count=len(good),
            seconds=load.duration_s,
            bytes=sum(int(row["bytes"]) for row in rows),
            errors=errors,
            latency_us=exact.figures(latencies, errors["timeout"]),
            histogram=exact.histogram(latencies),
        )
        return LoadResult(sample)
