"""Counts how often a capacity's interval covers it: `... -m tests.long.race.capacity_coverage DIR`.

Searches the capacity of a real server whose capacity is known (tests/long/race/queueing_server.py),
100 times or as often as a second argument says, three minutes each. Searches that are saved in DIR
are not done again. "constant" holds 1 / SECONDS a second, "exponential" what D/M/1 says.
"""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

from race.capacity import record
from race.capacity.analysis import capacities
from runtime.paths import ROOT
from tests.unit.race.test_capacity import exponential_capacity

SECONDS = 0.002
LIMIT_S = 900
SERVER = ROOT / "tests/long/race/queueing_server.py"
TRUTH = {"constant": 1 / SECONDS, "exponential": exponential_capacity(SECONDS)}
FILE = """
discipline = "app"
title = "A known capacity"
serve = "{python} {server} {{port}} {seconds} {kind}"
[[requests]]
name = "it"
get = "/"
[limits]
steal = 1.0
foreign = 1.0
"""


def main(folder: Path, times: int) -> None:
    """Search, and print how many intervals cover."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind in TRUTH:
        text = FILE.format(python=sys.executable, server=SERVER, seconds=SECONDS, kind=kind)
        (folder / f"{kind}.toml").write_text(text)
    for number in range(times):
        kind = list(TRUTH)[number % 2]
        if len(list(folder.glob(f"{kind}/*/{record.FILE}"))) <= number // 2:
            search(folder, kind)
        print("; ".join(said(folder, one) for one in TRUTH), flush=True)


def search(folder: Path, kind: str) -> None:
    """Run one search in a process of its own."""
    words = ["capacity", str(folder / f"{kind}.toml"), "--within", "3m"]
    words += ["--results", str(folder / kind)]
    command = [sys.executable, "-m", "race", *words]
    subprocess.run(command, check=False, cwd=ROOT, timeout=LIMIT_S, capture_output=True)


def said(folder: Path, kind: str) -> str:
    """Return how many intervals of a kind cover its capacity."""
    runs = [record.load(path.parent) for path in folder.glob(f"{kind}/*/{record.FILE}")]
    rates = [one.rate for run in runs for one in capacities(run) if one.rate]
    truth = math.log(TRUTH[kind])
    covered = sum(rate.bounded and rate.low <= truth <= rate.high for rate in rates)
    found = ", ".join(f"{rate.ratio:.0f}" for rate in rates[-3:])
    return f"{kind} {TRUTH[kind]:.0f}/s: {covered} of {len(runs)} cover (… {found})"


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python -m tests.long.race.capacity_coverage DIR [TIMES]")
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 100)
