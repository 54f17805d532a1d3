"""Finds what runs the same code: controls, A/A twins, contenders in another life of a process.

Two engines that differ in the driver alone run the same code where no database is asked. What is
left between them is another module loaded, another layout of memory: small, but the same in each
process. It is reported with its sign, and is no part of the margin.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from itertools import combinations

import numpy as np

from race.analysis.model import Controls
from race.analysis.values import Values
from race.saved.head import Head
from race.saved.model import Contender, Work
from race.stats import noise, processes
from race.stats.processes import Kept, RoundValues, Seen, log_ratios

Groups = tuple[frozenset[str], ...]
Texts = Mapping[str, Mapping[str, str]]


def groups(
    contenders: Iterable[Contender], ignored: Collection[str], texts: Texts | None = None
) -> Groups:
    """Return sets of contenders that differ in factors `ignored`, or in levels of one meaning
    (`texts`, by factor and level), and in nothing else.

    `contenders` are those that factors distinguish. Two that do not differ at all are no controls:
    an A/A twin has its own place.
    """

    def meaning(item: tuple[str, str]) -> tuple[str, str]:
        factor, level = item
        return factor, (texts or {}).get(factor, {}).get(level, level)

    known = [(one.label, frozenset(one.factors.items())) for one in contenders if one.factors]
    often = Counter(factors for _, factors in known)
    alike: dict[frozenset[tuple[str, str]], set[str]] = defaultdict(set)
    for label, factors in known:
        if often[factors] == 1:
            meant = frozenset(meaning(item) for item in factors if item[0] not in ignored)
            alike[meant].add(label)
    return tuple(frozenset(labels) for labels in alike.values() if len(labels) > 1)


def controls(rates: Mapping[str, RoundValues], found: Groups, kept: Kept) -> Controls | None:
    """Return the controls of one work; None without a pair that has numbers."""
    widest = noise.widest(rates, found, kept)
    if widest is None:
        return None
    measured = (tuple(sorted(group & rates.keys())) for group in found)
    return Controls(tuple(labels for labels in measured if len(labels) > 1), *widest)


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
