"""The answer to ``drive``, computed from the workers' notes when the time is up."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from toolbench.runner.workers import LoadNotes, TimedWorker

DIGITS = 3
"""Significant digits of an upper bound: a bucket is at most 1 % of its bound wide."""


def answer(result: LoadNotes) -> Dict[str, Any]:
    """Return the answer, as docs/adding-a-driver.md describes it.

    The seconds are those from the first operation's begin to the last one's end.
    """
    took: List[int] = []
    errors: Counter[str] = Counter()
    for worker in result.workers:
        took += latencies(worker)
        errors.update(kind for _, kind in worker.faults)
    if result.late:
        errors[f"not answered within {result.overtime:g} s"] = result.late
    return {**summary(sorted(took), _seconds(result.workers), errors), "late": result.late}


def summary(took: Sequence[int], seconds: float, errors: Mapping[str, int]) -> Dict[str, Any]:
    """Return the figures of the operations that succeeded, from their sorted nanoseconds."""
    return {
        "operations": len(took),
        "seconds": seconds,
        "errors": dict(errors),
        "latency_ns": _figures(took),
        "histogram": histogram(took),
    }


def latencies(worker: TimedWorker) -> List[int]:
    """Return the nanoseconds of a worker's operations that succeeded."""
    marks = list(worker.marks)
    failed = {place for place, _ in worker.faults}
    pairs = zip(marks, marks[1:])
    if not failed:
        return [end - begin for begin, end in pairs]
    return [end - begin for place, (begin, end) in enumerate(pairs, 1) if place not in failed]


def histogram(took: Sequence[int]) -> List[Tuple[float, int]]:
    """Return pairs (upper bound in microseconds, count) of sorted nanoseconds."""
    found = []
    begin = 0
    while begin < len(took):
        bound = upper(took[begin])
        end = bisect_right(took, bound, begin)
        found.append((bound / 1000, end - begin))
        begin = end
    return found


def upper(nanoseconds: int) -> int:
    """Return the least number of DIGITS digits, and zeros, that is not below `nanoseconds`."""
    step: int = 10 ** max(0, len(str(nanoseconds)) - DIGITS)
    return -(-nanoseconds // step) * step


def _seconds(workers: Sequence[TimedWorker]) -> float:
    known = [worker.marks for worker in workers if worker.marks]
    if not known:
        return 0.0
    return (max(marks[-1] for marks in known) - min(marks[0] for marks in known)) / 1e9


def _figures(took: Sequence[int]) -> Dict[str, float]:
    """Return least, mean, largest and standard deviation of the whole population."""
    if not took:
        return {}
    mean = sum(took) / len(took)
    deviation = math.sqrt(sum((one - mean) ** 2 for one in took) / len(took))
    return {"min": took[0], "mean": mean, "max": took[-1], "deviation": deviation}
