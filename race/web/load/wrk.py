"""wrk: a closed loop with pipelining; our scripts print the result as one line of JSON."""

from __future__ import annotations

import json
import math
import shutil
from typing import Any

from race.discipline import Sample
from race.saved.model import Load
from race.web.changes import EDITING, VOTING, PostedChanges
from race.web.load.generator import ERROR_KINDS, LoadResult, Target
from runtime.paths import ROOT

SCRIPTS = ROOT / "wrk_scripts"
OWN = {VOTING: "vote.lua", EDITING: "edit.lua"}
TIMEOUT = "5s"


class Wrk:
    """wrk with a script of its own for pages that change something, requests.lua for requests of a
    file, and pipeline.lua with the load's depth for other pages.
    """

    open_loop = False
    interruptible = True
    version = ("wrk", "-v")

    def missing(self) -> str | None:
        if shutil.which("wrk"):
            return None
        return "wrk is not installed: apt-get install wrk (or `make system`)"

    def command(self, target: Target, load: Load) -> list[str]:
        """Return the command; wrk takes whole seconds, and a shorter run is interrupted."""
        words = ["wrk", f"-c{load.connections}", f"-t{load.threads}"]
        words += [f"-d{math.ceil(load.duration_s)}s", "--timeout", TIMEOUT, "-s"]
        if target.requests:
            script = str(SCRIPTS / "requests.lua")
            return [*words, script, target.url, "--", "--file", target.requests]
        if target.cookie:
            words[1:1] = ["-H", f"Cookie: {target.cookie}"]
        if target.page in OWN:
            return [*words, str(SCRIPTS / OWN[target.page]), target.url]
        words += [str(SCRIPTS / "pipeline.lua"), target.url, "--"]
        return [*words, "--path", target.path, "--depth", str(load.pipeline)]

    def parse(self, output: str, load: Load) -> LoadResult:
        """Read the `json: {...}` line of wrk_scripts/lib/report.lua."""
        for line in output.splitlines():
            if line.startswith("json: "):
                return _result(json.loads(line.removeprefix("json: ")))
        raise ValueError("wrk printed no result line")


def _result(data: dict[str, Any]) -> LoadResult:
    latency = data.get("latency_us") or {}
    changes = data.get("votes") or data.get("edits")
    sample = Sample(
        count=int(data["requests"]),
        seconds=data["duration_us"] / 1e6,
        bytes=int(data["bytes"]),
        errors={kind: int(data["errors"].get(kind, 0)) for kind in ERROR_KINDS},
        latency_us={
            name.replace("_", "."): float(value)
            for name, value in latency.items()
            if value is not None
        },
        histogram=[(float(upper), int(count)) for upper, count in data.get("histogram") or []],
        busy_connections=data.get("busy_connections"),
    )
    posted = PostedChanges(changes["acknowledged"], changes["unanswered"]) if changes else None
    return LoadResult(sample, posted, round(data["cpu_us"] * 1000) if "cpu_us" in data else None)
