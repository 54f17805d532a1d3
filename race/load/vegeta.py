"""vegeta: an open loop at a fixed rate of any requests, with latencies from when one was due.

vegeta sends by the clock, however long answers take (its maintainer in its issue 520). Without a
bound a slow server then fills the memory with connections (issue 344: by design), so its workers
are bounded here. A request that finds them all busy leaves late, and vegeta counts its latency from
then. The schedule is one constant interval, and results tell when each request left: what it was
late is added here.
"""

from __future__ import annotations

import base64
import csv
import json
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from race.discipline import Sample
from race.load import exact
from race.load.generator import ERROR_KINDS, LoadResult, Target
from race.saved.model import Load
from runtime.paths import make

TIMEOUT = "5s"
GO = Path.home() / "go" / "bin" / "vegeta"
MODULE = "github.com/tsenart/vegeta/v12@v12.13.0"
PER_S = 1000
"""A rate is given as requests in so many seconds: vegeta takes whole numbers."""
RUN = """
results=$(mktemp) || exit 1
exec 3>"$results" 4<"$results"
rm "$results"
{ test -z "$target" || printf '%s\n' "$target"; } | "$vegeta" -cpus 1 attack "$@" >&3 || exit
times
exec "$vegeta" encode --to csv <&4
"""
"""Rows are made of the results when the load is over; `times` tells the CPU time until then."""
COLUMNS = 12
CPU = re.compile(r"(\d+)m([\d.]+)s (\d+)m([\d.]+)s")
KINDS = {
    "timeout": ("deadline exceeded", "timeout"),
    "connect": ("dial tcp", "refused"),
    "write": ("broken pipe", "write:"),
}
"""Words of Go's errors without a status; any other is one of reading."""
PATH_SIGNS = "%/!$&'()*+,;=:@[]"
"""The signs that Go leaves in a path as they are."""


def program() -> str | None:
    """Return vegeta on PATH, or where go puts it."""
    return shutil.which("vegeta") or (str(GO) if GO.exists() else None)


class Row(NamedTuple):
    """A request: nanoseconds when it left and that its answer took, the status, Go's error."""

    left: int
    took: int
    status: int
    error: str


class Vegeta:
    """vegeta in one shell with the command that makes rows of its results."""

    open_loop = True
    interruptible = False
    program = "vegeta"
    files = ""

    @property
    def version(self) -> Sequence[str]:
        return ("sh", "-c", '"$0" -version | head -n 1', program() or "vegeta")

    def missing(self) -> str | None:
        how = make("vegeta", f"go install {MODULE}")
        return None if program() else f"vegeta is not installed: {how} (needs Go)"

    def command(self, target: Target, load: Load) -> list[str]:
        """Return the command; requests of a file are written beside it in vegeta's form."""
        one = {"method": "GET", "url": target.url + target.path, "header": _header(target)}
        given, words = json.dumps(one), list[str]()
        if target.requests:
            path = Path(target.requests).with_suffix(".json")
            path.write_text("".join(_targets(Path(target.requests), target.url)))
            given, words = "", ["-targets", str(path)]
        words += ["-unix-socket", target.socket] if target.socket else []
        words += ["-format", "json", "-rate", f"{_freq(load)}/{PER_S}s"]
        words += ["-duration", f"{round(load.duration_s * 1000)}ms", "-timeout", TIMEOUT]
        for bound in ("workers", "max-workers", "connections"):
            words += [f"-{bound}", str(load.connections)]
        env = ["env", f"vegeta={target.program or program() or 'vegeta'}", f"target={given}"]
        return [*env, "sh", "-c", RUN, "vegeta", *words, "-max-body", "0", "-redirects", "-1"]

    def parse(self, output: str, load: Load) -> LoadResult:
        """Read the rows; requests that were due and did not leave are timeouts."""
        rows = sorted(_rows(output))
        if not rows:
            raise ValueError("no request was sent")
        errors = dict.fromkeys(ERROR_KINDS, 0)
        latencies = []
        for row, late in zip(rows, lateness([row.left for row in rows], load), strict=True):
            if 0 < row.status < 400 and not row.error:
                latencies.append(round((row.took + late) / 1000))
            else:
                errors[_kind(row)] += 1
        errors["timeout"] += max(0, exact.due(load) - len(rows))
        latencies.sort()
        sample = Sample(
            count=len(latencies),
            seconds=load.duration_s,
            errors=errors,
            latency_us=exact.figures(latencies, errors["timeout"]),
            histogram=exact.histogram(latencies),
        )
        return LoadResult(sample, own_ns=_cpu_ns(output))


def _freq(load: Load) -> int:
    return max(1, round((load.rate or 1) * PER_S))


def _header(target: Target) -> dict[str, list[str]]:
    """Return the headers without which Go adds its own name and asks for gzip."""
    cookie = {"Cookie": [target.cookie]} if target.cookie else {}
    return {"User-Agent": [""], "Accept-Encoding": ["identity"], **cookie}


def _targets(requests: Path, url: str) -> Iterator[str]:
    """Yield the requests of a file that wrk reads as lines of JSON, each with its end."""
    raw, at = requests.read_bytes(), 0
    while at < len(raw):
        length, _, _ = raw[at : at + 20].partition(b"\n")
        begin = at + len(length) + 1
        at = begin + int(length)
        yield _target(raw[begin:at], url)


def _target(request: bytes, url: str) -> str:
    head, _, body = request.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    method, where, _ = first.split(" ")
    path, mark, query = where.partition("?")
    given: dict[str, list[str]] = {}
    for line in lines:
        name, _, text = line.partition(": ")
        # Go looks for names in this form alone.
        named = re.sub(r"[^-]+", lambda part: part[0].capitalize(), name)
        given.setdefault(named, []).append(text)
    header = {**_header(Target(url, "")), **given}
    to = url + quote(path, safe=PATH_SIGNS) + mark + query
    one = {"method": method, "url": to, "header": header}
    found = {**one, "body": base64.b64encode(body).decode()} if body else one
    return f"{json.dumps(found)}\n"


def _rows(output: str) -> Iterator[Row]:
    for row in csv.reader(output.splitlines()):
        if len(row) == COLUMNS:
            yield Row(int(row[0]), int(row[2]), int(row[1]), row[5])


def lateness(left: Sequence[int], load: Load) -> list[int]:
    """Return how many nanoseconds after it was due each request left, in the order of leaving.

    They are due at one interval, as vegeta's constant pacer has it (in whole nanoseconds). The
    earliest of all counts as punctual, so lateness is too small by what that one was late.
    """
    interval = PER_S * 10**9 // _freq(load)
    after = [moment - number * interval for number, moment in enumerate(left)]
    return [one - min(after) for one in after]


def _kind(row: Row) -> str:
    if row.status:
        return "status" if row.status >= 400 else "read"
    said = row.error.lower()
    return next((kind for kind, words in KINDS.items() if any(w in said for w in words)), "read")


def _cpu_ns(output: str) -> int | None:
    """Return the CPU time of vegeta, in the second line of what `times` says."""
    lines = [match for line in output.splitlines()[:2] if (match := CPU.fullmatch(line))]
    if len(lines) < 2:
        return None
    minutes = int(lines[1][1]) + int(lines[1][3])
    return round((60 * minutes + float(lines[1][2]) + float(lines[1][4])) * 1e9)
