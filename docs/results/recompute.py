"""Recompute the ratios in README.md from the saved cells: python3 docs/results/recompute.py

It needs CPython 3.11 and this folder. It prints each ratio at full load as published and as
recomputed, and exits with 1 if a digit differs. docs/method.md has formulas and sources.
"""

import gzip
import json
import re
from functools import cache
from itertools import accumulate, combinations, combinations_with_replacement, groupby
from math import ceil, cos, exp, floor, hypot, log, log10, pi, sqrt, tan
from pathlib import Path
from statistics import fmean, median, variance

FOLDER = Path(__file__).parent
RATIO = r"(\d[\d.,]*× \[[\d.,]+, [\d.,]+\])†?\s+"
CLAIM = r"<!-- claim: (?!user-load)(cpu-ratio )?(?:(?:least-)?ratio )?((?:(?!-->|/s ).)+) -->"


def task_of(cell: dict) -> str:
    """Return a task and its load as claims name it: "good", "ugly:x24", "wide:c10"."""
    load, ahead = cell["load"], cell["load"]["pipeline"]
    fixed = f":c{load['connections']}" if load.get("fixed") else ""
    return cell["task"] + (f":x{ahead}" if ahead > 1 else "") + fixed


@cache
def read(run: str, cpu: str) -> tuple[int, dict[str, dict[str, dict[int, float]]]]:
    """Return after how many rounds all processes start anew, and the logarithms of requests/s, or
    of CPU time for a request, by task, contender and round. Of a repeated cell the last counts."""
    head = json.loads((FOLDER / run / "run.json").read_text("utf-8"))
    with gzip.open(FOLDER / run / "cells.jsonl.gz", "rt", encoding="utf-8") as lines:
        cells = {(task_of(c), c["label"], c["round"]): c for c in map(json.loads, lines)}
    logs: dict[str, dict[str, dict[int, float]]] = {}
    party = head["discipline"]["parties"][0]  # the server or the driver
    for (task, label, number), cell in cells.items():
        if cell["status"] == "ok" and number > 0 and not cell["load"]["rate"]:  # 0: calibration
            used = cell["meters"]["cpu_ns"][party] / cell["count"] if cpu else cell["throughput"]
            logs.setdefault(task, {}).setdefault(label, {})[number] = log(used)
    return head["scenario"]["restart"] or 1_000_000, logs


def pair(restart: int, first: dict[int, float], second: dict[int, float]) -> list[list[float]]:
    """Return the log-ratios of the rounds that both have, in a list for each process."""
    lives = groupby(sorted(first.keys() & second.keys()), lambda number: (number - 1) // restart)
    return [[first[number] - second[number] for number in life] for _, life in lives]


def between(groups: list[list[float]]) -> float | None:
    """Return the variance of the means of processes beyond that of rounds (Searle), if it shows."""
    rounds, means = sum(map(len, groups)), [fmean(group) for group in groups]
    if not 1 < len(groups) < rounds:
        return None
    squares = sum((x - fmean(group)) ** 2 for group in groups for x in group)
    return variance(means) - squares / (rounds - len(groups)) * fmean(1 / len(g) for g in groups)


@cache
def drawn(run: str, cpu: str) -> dict[str, tuple[float, int]]:
    """Return the variance between processes on each task, drawn towards that of the race, and the
    degrees of freedom for which it counts in a pair (Smyth)."""
    seen, (restart, logs) = {}, read(run, cpu)
    for task, each in logs.items():
        pairs = [pair(restart, *two) for two in combinations(each.values(), 2)]
        found = [v for groups in pairs if (v := between(groups)) is not None]
        freedom = (len(each) - 1) * (max(map(len, pairs), default=1) - 1)
        if not found:  # no restart: what the A/A twins show
            for twin in (label for label in each if label.endswith(" (A/A)")):
                [x] = pair(restart, each[twin], each[twin.removesuffix(" (A/A)")])
                found.append(median(walsh(x)) ** 2 - variance(x) / len(x))
            freedom = len(found)
        seen[task] = max(0.0, fmean(found or [0.0])), freedom
    total = sum(freedom for _, freedom in seen.values())
    race = (sum(v * freedom for v, freedom in seen.values()) + 2 * 2 * 0.01**2) / (total + 2)
    return {t: ((v * f + 8 * race) / (f + 8), min(4, total + 2)) for t, (v, f) in seen.items()}


@cache
def student(freedom: int) -> float:
    """Return t with P(|T| <= t) = 95 %: T is sqrt(f) tan(u), u has the density cos(u)^(f - 1)."""
    density = [cos(pi * (i + 0.5) / 20_000) ** (freedom - 1) for i in range(10_000)]
    area = list(accumulate(density))
    i = sum(below < 0.95 * area[-1] for below in area)
    return sqrt(freedom) * tan(pi / 20_000 * (i + 1 - (area[i] - 0.95 * area[-1]) / density[i]))


def walsh(x: list[float]) -> list[float]:
    return sorted((a + b) / 2 for a, b in combinations_with_replacement(x, 2))


def interval(run: str, cpu: str, task: str, a: str, b: str) -> tuple[float, float, float, int]:
    """Return the logs of the median Walsh average and of the k-th smallest and largest (Hollander,
    Wolfe, Chicken), moved outwards by the variance between processes (Zou, Donner); the rounds."""
    groups = pair((each := read(run, cpu))[0], each[1][task][a], each[1][task][b])
    x = [value for group in groups for value in group]
    ways = [1]  # the number of sets of the ranks up to n with each sum T
    for n in range(1, len(x) + 1):
        ways = [a + b for a, b in zip(ways + [0] * n, [0] * n + ways, strict=True)]
    averages, k = walsh(x), sum(below <= 0.025 * 2 ** len(x) for below in accumulate(ways))
    v, freedom = drawn(run, cpu)[task]
    if (own := between(groups)) is not None:
        more = len(groups) - 1
        v, freedom = (v * freedom + max(0.0, own) * more) / (freedom + more), freedom + more
    half = student(freedom) * sqrt(v * sum((len(group) / len(x)) ** 2 for group in groups))
    mid = median(averages)
    low, high = hypot(mid - averages[k - 1], half), hypot(averages[-k] - mid, half)
    return mid, mid - low, mid + high, len(x)


def merged(runs: list[tuple[float, float, float, int]]) -> tuple[float, float, float]:
    """Return the hull of one or two runs; of more, random effects (DerSimonian; Hartung, Knapp)."""
    values, lows, highs, rounds = zip(*runs, strict=True)
    if len(runs) < 3:
        return fmean(values), min(lows), max(highs)
    more, extra = len(runs) - 1, 0.0  # the variance between runs
    alike = min(rounds) < 6  # where a run has too few rounds for an interval of its own
    scatter = fmean(n * ((high - low) / 2 / student(n - 1)) ** 2 for _, low, high, n in runs)
    for _ in range(2):
        weights = [1.0 if alike else 1 / (scatter / n + extra) for n in rounds]
        total, centre = sum(weights), fmean(values, weights)
        q = sum(w * (value - centre) ** 2 for w, value in zip(weights, values, strict=True))
        extra = max(0.0, (q - more) / (total - sum(w * w for w in weights) / total))
    half = student(more) * sqrt(max(0.0 if alike else 1.0, q / more) / total)
    return centre, centre - half, centre + half


def printed(value: float, low: float, high: float) -> str:
    """Return a ratio with its limits, rounded outwards to a tenth of the half-width or less."""
    digits = max(2 if value < 2 else 1 if value < 20 else 0, ceil(-log10((high - low) / 20)))
    low, high = floor(low * 10**digits) / 10**digits, ceil(high * 10**digits) / 10**digits
    return f"{value:,.{digits}f}× [{low:,.{digits}f}, {high:,.{digits}f}]"


def main(document: Path = FOLDER / "README.md") -> int:
    equal = []
    for published, cpu, words in re.findall(RATIO + CLAIM, document.read_text("utf-8")):
        runs, *rest = (word.strip('"') for word in re.findall(r'"[^"]+"|\S+', words))
        try:
            text = printed(*map(exp, merged([interval(r, cpu, *rest) for r in runs.split("+")])))
        except (OSError, LookupError):
            text = "no such run or contender"
        equal.append(text == published)
        print(f"{'equal' if equal[-1] else 'DIFFERS':9}{published:27}{text:27}{cpu}{words}")
    print(f"{sum(equal)} of {len(equal)} are equal.")
    return 0 if equal and all(equal) else 1


if __name__ == "__main__":
    raise SystemExit(main())
