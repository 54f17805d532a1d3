"""What workers noted, as the answer to ``drive``; made when the time is up."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from toolbench.runner.timed import PATIENCE_SECONDS, Driven, Worker

DIGITS = 3
"""Of an upper bound: its bucket is at most a hundredth of it wide."""


def answer(driven: Driven) -> Dict[str, Any]:
    """Operations that went well, the seconds from the first one's begin to the last one's end,
    errors by kind, latencies in nanoseconds, their histogram with upper bounds in microseconds.
    """
    took: List[int] = []
    errors: Counter[str] = Counter()
    for worker in driven.workers:
        took += latencies(worker)
        errors.update(kind for _, kind in worker.faults)
    if driven.late:
        errors[f"not answered within {PATIENCE_SECONDS:g} s"] = driven.late
    return {**summary(sorted(took), _seconds(driven.workers), errors), "late": driven.late}


def summary(took: Sequence[int], seconds: float, errors: Mapping[str, int]) -> Dict[str, Any]:
    """Of sorted nanoseconds of the operations that went well."""
    return {
        "operations": len(took),
        "seconds": seconds,
        "errors": dict(errors),
        "latency_ns": _figures(took),
        "histogram": histogram(took),
    }


def latencies(worker: Worker) -> List[int]:
    """Of the operations that went well."""
    marks = list(worker.marks)
    failed = {place for place, _ in worker.faults}
    pairs = zip(marks, marks[1:])
    if not failed:
        return [end - begin for begin, end in pairs]
    return [end - begin for place, (begin, end) in enumerate(pairs, 1) if place not in failed]


def histogram(took: Sequence[int]) -> List[Tuple[float, int]]:
    """Pairs (upper bound in microseconds, count), of sorted nanoseconds."""
    found = []
    begin = 0
    while begin < len(took):
        bound = upper(took[begin])
        end = bisect_right(took, bound, begin)
        found.append((bound / 1000, end - begin))
        begin = end
    return found


def upper(nanoseconds: int) -> int:
    """The least number of DIGITS digits that is not below it."""
    step: int = 10 ** max(0, len(str(nanoseconds)) - DIGITS)
    return -(-nanoseconds // step) * step


def _seconds(workers: Sequence[Worker]) -> float:
    known = [worker.marks for worker in workers if worker.marks]
    if not known:
        return 0.0
    return (max(marks[-1] for marks in known) - min(marks[0] for marks in known)) / 1e9


def _figures(took: Sequence[int]) -> Dict[str, float]:
    """Of sorted latencies; the deviation is the standard deviation of all of them."""
    if not took:
        return {}
    mean = sum(took) / len(took)
    deviation = math.sqrt(sum((one - mean) ** 2 for one in took) / len(took))
    return {"min": took[0], "mean": mean, "max": took[-1], "deviation": deviation}
