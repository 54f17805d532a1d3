"""Counts how often intervals cover a known truth: `python -m tests.long.race.coverage [TIMES]`.

Runs the scenarios `slowed` (the truth is 0.80) and `aa` (the truth is 1) so many times each, 20 by
default, and prints for each page how many intervals cover the truth, how many verdicts are false,
and the mean of the estimates: where that is off, the planted slowdown is not what it says. It takes
about three hours, on a machine that does nothing else.
"""

from __future__ import annotations

import math
import statistics
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from race.analysis.analyse import analyse
from race.saved.reader import load
from race.stats.estimate import Estimate
from race.stats.verdict import Verdict, verdict
from runtime.paths import ROOT

SCENARIOS = {str(ROOT / "tests/live/race/slowed.toml"): 0.8, "aa": 1.0}
LIMIT_S = 1800
"""The longest that one race may take."""


def main(times: int) -> None:
    """Run all races, and print a line for each page of each scenario."""
    for scenario, truth in SCENARIOS.items():
        found: dict[str, list[tuple[Estimate, float]]] = {}
        for number in range(times):
            with TemporaryDirectory() as folder:
                for page, one in raced(scenario, Path(folder)).items():
                    found.setdefault(page, []).append(one)
            print(f"{Path(scenario).stem} {number + 1} of {times}", file=sys.stderr, flush=True)
        for page, each in found.items():
            print(f"{Path(scenario).stem} {page}: {said(each, math.log(truth))}", flush=True)


def raced(scenario: str, folder: Path) -> dict[str, tuple[Estimate, float]]:
    """Run one race; return the ratio of its two contenders and the margin by page, or nothing if it
    has no result.
    """
    command = [sys.executable, "-m", "race", "run", scenario, "--results", str(folder)]
    done = subprocess.run(
        command, check=False, cwd=ROOT, timeout=LIMIT_S, stdout=subprocess.DEVNULL
    )
    if done.returncode:  # the machine disturbed it, which standard error says: it does not count
        return {}
    (saved,) = (one.parent for one in folder.glob("*/run.json"))
    found = {}
    for comparison in analyse(load(saved)).closed():
        for pair in comparison.pairs:  # of two contenders there is one
            turned = pair.first == comparison.baseline
            estimate = pair.estimate.reversed() if turned else pair.estimate
            found[comparison.work.task] = estimate, comparison.margin
    return found


def said(each: list[tuple[Estimate, float]], truth: float) -> str:
    """Return how often intervals cover the truth, and the mean of the estimates."""
    covered = sum(one.low <= truth <= one.high for one, _ in each)
    false = Verdict.EQUAL if truth else Verdict.DIFFERENT
    wrong = sum(verdict(one, margin) is false for one, margin in each)
    values = [one.value for one, _ in each]
    error = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return (
        f"{covered} of {len(each)} intervals cover {math.exp(truth):.2f}, {wrong} verdicts are "
        f"“{false}”; mean {math.exp(statistics.fmean(values)):.4f}, "
        f"standard error {100 * error:.1f} %"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
