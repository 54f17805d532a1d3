"""wrk: a closed loop with pipelining; our scripts print the result as one line of JSON."""

from __future__ import annotations

import json
import math
import shutil
from typing import Any

from race.discipline import Sample
from race.load.generator import ERROR_KINDS, LoadResult, PostedChanges, Target
from race.saved.model import Load
from runtime.paths import ROOT

SCRIPTS = ROOT / "wrk_scripts"
TIMEOUT = "5s"


class Wrk:
    """wrk with the target's own script, with requests.lua for requests of a file, or with
    pipeline.lua, which asks for one path at the load's depth.
    """

    open_loop = False
    interruptible = True
    version = ("wrk", "-v")
    program = "wrk"
    files = "wrk_scripts"

    def missing(self) -> str | None:
        return None if shutil.which("wrk") else "wrk is not installed: apt-get install wrk"

    def command(self, target: Target, load: Load) -> list[str]:
        """Return the command; wrk takes whole seconds, and a shorter run is interrupted."""
        words, scripts = [target.program or "wrk"], target.root / self.files
        words += [f"-c{load.connections}", f"-t{load.threads}"]
        words += [f"-d{math.ceil(load.duration_s)}s", "--timeout", TIMEOUT, "-s"]
        if target.requests:
            script = str(scripts / "requests.lua")
            url = f"http://unix{target.socket}" if target.socket else target.url
            return [*words, script, url, "--", "--file", target.requests]
        if target.cookie:
            words[1:1] = ["-H", f"Cookie: {target.cookie}"]
        if target.script:
            return [*words, str(scripts / target.script), target.url]
        words += [str(scripts / "pipeline.lua"), target.url, "--"]
        return [*words, "--path", target.path, "--depth", str(load.pipeline)]

    def parse(self, output: str, load: Load) -> LoadResult:
        """Read the `json: {...}` line of wrk_scripts/lib/report.lua."""
        for line in output.splitlines():
            if line.startswith("json: "):
                return _result(json.loads(line.removeprefix("json: ")))
        raise ValueError("wrk printed no result line")


def _result(data: dict[str, Any]) -> LoadResult:
    latency = data.get("latency_us") or {}
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
    own_ns = round(data["cpu_us"] * 1000) if "cpu_us" in data else None
    return LoadResult(sample, _changes(data), own_ns)


def _changes(data: dict[str, Any]) -> PostedChanges | None:
    """Return what a script says of the changes that it posted, under whatever name."""
    for said in data.values():
        if isinstance(said, dict) and "acknowledged" in said:
            return PostedChanges(said["acknowledged"], said["unanswered"])
    return None
