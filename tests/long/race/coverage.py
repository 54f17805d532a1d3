"""Counts how often intervals cover a known truth: `python -m tests.long.race.coverage FOLDER`.

Runs the scenarios `slowed` (the truth is 0.80 of requests/s, 1.25 times the CPU time) and `aa` (the
truth is 1) twenty times each, or as often as a second argument says, and keeps the runs in FOLDER.
It prints for each page how many intervals cover the truth, how many verdicts are false, and the
mean of the estimates: where that is off, the planted slowdown is not what it says. It takes about
an hour, on a machine that does nothing else.
"""

from __future__ import annotations

import math
import statistics
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from race.analysis.pairing import Run, pairing
from race.saved.reader import load
from race.stats.estimate import Estimate
from race.stats.verdict import Verdict, verdict
from runtime.paths import ROOT

SCENARIOS = {"slowed": (str(ROOT / "tests/live/race/slowed.toml"), 0.8), "aa": ("aa", 1.0)}
LIMIT_S = 1800
"""The longest that one race may take."""

Found = dict[str, list[tuple[Estimate, float]]]
"""Estimates by what they are of, each with its margin (log scale)."""


def main(folder: Path, times: int) -> None:
    """Run all races, and print two lines for each page of each scenario."""
    for name, (scenario, truth) in SCENARIOS.items():
        results = folder / name
        for number in range(times):
            race(scenario, results)
            print(f"{name} {number + 1} of {times}", file=sys.stderr, flush=True)
        for what, each in measured(results).items():
            value = 1 / truth if what.endswith("CPU time") else truth
            print(f"{name}, {what}: {said(each, value)}", flush=True)


def race(scenario: str, results: Path) -> None:
    """Run one race. Where the machine disturbed it, it says so and has no result."""
    command = [sys.executable, "-m", "race", "run", scenario, "--results", str(results)]
    subprocess.run(command, check=False, cwd=ROOT, timeout=LIMIT_S, stdout=subprocess.DEVNULL)


def measured(results: Path) -> Found:
    """Return the ratios of the second contender to the first from all runs of a folder."""
    found: Found = defaultdict(list)
    for saved in sorted(one.parent for one in results.glob("*/run.json")):
        run = Run.of(load(saved))
        for comparison in run.analysis.closed():
            first, second = sorted(item.label for item in comparison.results)
            both = pairing(run, comparison, second, first)
            page = comparison.work.task
            if both.ratio:
                found[f"{page}, requests/s"].append((both.ratio, comparison.margin))
            if both.cpu:
                found[f"{page}, CPU time"].append((both.cpu, comparison.cpu_margin))
    return found


def said(each: list[tuple[Estimate, float]], value: float) -> str:
    """Return how often intervals cover the truth, and the mean of the estimates."""
    truth = math.log(value)
    covered = sum(one.low <= truth <= one.high for one, _ in each)
    false = Verdict.EQUAL if truth else Verdict.DIFFERENT
    wrong = sum(verdict(one, margin) is false for one, margin in each)
    values = [one.value for one, _ in each]
    error = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return (
        f"{covered} of {len(each)} intervals cover {value:.2f}, {wrong} verdicts are "
        f"“{false}”; mean {math.exp(statistics.fmean(values)):.4f}, "
        f"standard error {100 * error:.1f} %"
    )


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python -m tests.long.race.coverage FOLDER [TIMES]")
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 20)
