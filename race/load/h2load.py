"""h2load: a closed loop of HTTP/1.1 with pipelining, which tells the latency of each answer."""

from __future__ import annotations

import re
import shutil

from race.discipline import Sample
from race.errors import RaceError
from race.load import exact
from race.load.generator import ERROR_KINDS, LoadResult, Target
from race.saved.model import Load

PATIENCE = "5"
"""Seconds that a connection may be silent."""
REQUESTS = re.compile(
    r"^requests: .* (?P<done>\d+) done, .* (?P<failed>\d+) failed, (?P<errored>\d+) errored, "
    r"(?P<timeout>\d+) timeout",
    re.MULTILINE,
)
TRAFFIC = re.compile(r"^traffic: \S+ \((\d+)\) total", re.MULTILINE)
ANSWER = re.compile(r"^\d+\t(\d+)\t(\d+)$", re.MULTILINE)
"""An answer: its status and how many microseconds it took."""


class H2load:
    """h2load with a row for each answer, in the order of their ends."""

    open_loop = False
    interruptible = False
    version = ("h2load", "--version")
    program = "h2load"
    files = ""

    def missing(self) -> str | None:
        if shutil.which("h2load"):
            return None
        return "h2load is not installed: make system, or apt-get install nghttp2-client"

    def command(self, target: Target, load: Load) -> list[str]:
        if target.script or target.requests:
            raise RaceError("h2load asks for one path alone: race this page with wrk")
        words = [target.program or "h2load", "--h1", "-D", f"{round(load.duration_s * 1000)}ms"]
        words += ["-c", str(load.connections), "-t", str(load.threads), "-m", str(load.pipeline)]
        words += ["-N", PATIENCE, "--log-file=/dev/stdout"]
        words += ["-H", f"Cookie: {target.cookie}"] if target.cookie else []
        words += ["-B", f"unix:{target.socket}"] if target.socket else []
        return [*words, target.url + target.path]

    def parse(self, output: str, load: Load) -> LoadResult:
        """Read the rows and the totals; what was answered after the end is in neither."""
        requests, traffic = REQUESTS.search(output), TRAFFIC.search(output)
        if requests is None or traffic is None or requests["done"] == "0":
            raise ValueError("no request was answered")
        totals = {name: int(value) for name, value in requests.groupdict().items()}
        rows = ANSWER.findall(output)[: totals["done"]]
        latencies = sorted(int(micros) for status, micros in rows if int(status) < 400)
        errors = dict.fromkeys(ERROR_KINDS, 0)
        errors["status"] = totals["failed"] - totals["errored"]
        errors["read"] = totals["errored"] - totals["timeout"]
        errors["timeout"] = totals["timeout"]
        sample = Sample(
            count=len(latencies),
            seconds=load.duration_s,
            bytes=int(traffic[1]),
            errors=errors,
            latency_us=exact.figures(latencies, lost=totals["errored"]),
            histogram=exact.histogram(latencies),
        )
        return LoadResult(sample)
