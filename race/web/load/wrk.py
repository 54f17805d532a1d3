"""wrk: closed loop, one thread, pipelining; our scripts print the result as one JSON line."""

from __future__ import annotations

import json
import math
import shutil
from typing import Any

from race.discipline import Sample
from race.saved.model import Load
from race.web.load.generator import ERROR_KINDS, Seen, Target
from race.web.votes import Cast
from runtime.paths import ROOT

SCRIPTS = ROOT / "wrk_scripts"
TIMEOUT = "5s"


class Wrk:
    """`vote` is driven by vote.lua, every other page by pipeline.lua with the load's depth."""

    open_loop = False
    interruptible = True
    version = ("wrk", "-v")

    def missing(self) -> str | None:
        """Debian and most others have a package."""
        if shutil.which("wrk"):
            return None
        return "wrk is not installed: apt-get install wrk (or `make system`)"

    def command(self, target: Target, load: Load) -> list[str]:
        """wrk knows whole seconds only; a shorter run is interrupted from outside."""
        words = ["wrk", f"-c{load.connections}", f"-t{load.threads}"]
        words += [f"-d{math.ceil(load.duration_s)}s", "--timeout", TIMEOUT, "-s"]
        if target.page == "vote":
            return [*words, str(SCRIPTS / "vote.lua"), target.url]
        words += [str(SCRIPTS / "pipeline.lua"), target.url, "--"]
        return [*words, "--path", target.path, "--depth", str(load.pipeline)]

    def parse(self, output: str, load: Load) -> Seen:
        """The `json: {...}` line of wrk_scripts/lib/report.lua."""
        for line in output.splitlines():
            if line.startswith("json: "):
                return _seen(json.loads(line.removeprefix("json: ")))
        raise ValueError("wrk printed no result line")


def _seen(data: dict[str, Any]) -> Seen:
    latency = data.get("latency_us") or {}
    votes = data.get("votes")
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
    cast = Cast(votes["acknowledged"], votes["unanswered"]) if votes else None
    return Seen(sample, cast, round(data["cpu_us"] * 1000) if "cpu_us" in data else None)
