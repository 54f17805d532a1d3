"""What processes keep for their lives, by work: what the intervals of a race need beside rounds."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from race.analysis.values import Values
from race.saved.model import Head, Work
from race.stats import processes
from race.stats.processes import Kept, RoundValues, Seen, log_ratios


def restart(head: Head) -> int:
    """Return after how many rounds the contenders of a race were started anew; 0 is never."""
    return int(head.scenario.get("restart") or 0)


def kept(found: Values, twins: Mapping[str, str], restart: int) -> dict[Work, Kept]:
    """Return what processes keep of one figure on each work.

    Restarts tell most: every contender is compared with itself in another life. Where there was
    none, the A/A twins tell. `twins` are labels, each with its original's.
    """
    known: dict[Work, Kept] = {}
    for closed in (True, False):
        works = [work for work in found if work.load.closed == closed]
        seen = [_seen(found[work], twins, restart) for work in works]
        known |= zip(works, processes.drawn_together(seen, restart), strict=True)
    return known


def _seen(logs: Mapping[str, RoundValues], twins: Mapping[str, str], restart: int) -> Seen:
    both = combinations(logs, 2) if restart else ()
    pairs = [log_ratios(logs[first], logs[second]) for first, second in both]
    lived = [(_array(ratios), processes.lives(ratios, restart)) for ratios in pairs if ratios]
    found = processes.seen(lived, len(logs))
    if found.freedom:
        return found
    same = [log_ratios(logs.get(one, {}), logs.get(two, {})) for one, two in twins.items()]
    return processes.seen_of_twins([_array(ratios) for ratios in same if ratios])


def _array(ratios: RoundValues) -> processes.Array:
    return np.array(list(ratios.values()))
