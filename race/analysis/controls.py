"""Negative controls: contenders that run the same code at a task.

Two engines that differ in the driver alone run the same code where no database is asked. A
difference between them is noise of a kind that one A/A twin may not show: another process, another
layout in memory, another place in the order.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping

import numpy as np

from race.analysis.model import Controls
from race.analysis.results import RaceData
from race.saved.model import Contender
from race.stats import noise
from race.stats.noise import RoundValues

Groups = tuple[frozenset[str], ...]


def groups(contenders: Iterable[Contender], ignored: Collection[str]) -> Groups:
    """Return sets of contenders that differ in factors `ignored` and in no other.

    `contenders` are those that factors distinguish. Two that do not differ at all are no controls:
    an A/A twin has its own place.
    """
    known = [(one.label, frozenset(one.factors.items())) for one in contenders if one.factors]
    often = Counter(factors for _, factors in known)
    alike: dict[frozenset[tuple[str, str]], set[str]] = defaultdict(set)
    for label, factors in known:
        if often[factors] == 1:
            alike[frozenset(item for item in factors if item[0] not in ignored)].add(label)
    return tuple(frozenset(labels) for labels in alike.values() if len(labels) > 1)


def controls(rates: Mapping[str, RoundValues], found: Groups) -> Controls | None:
    """Return the controls of one work; None without a pair that has numbers."""
    widest = noise.widest(noise.same_code(rates, found))
    if widest is None:
        return None
    measured = (tuple(sorted(group & rates.keys())) for group in found)
    return Controls(tuple(labels for labels in measured if len(labels) > 1), widest)


def between(race: RaceData) -> float:
    """Return `noise.between` of A/A twins and all controls over the closed-loop works."""
    ignores = race.saved.head.discipline.ignores
    pairs: list[list[float]] = []
    for work, rates in race.rates.items():
        if work.load.closed:
            same = groups(race.distinguishable, ignores.get(work.task, ()))
            twins = [frozenset(pair) for pair in race.twins.items()]
            pairs += noise.same_code(rates, [*same, *twins])
    return float(noise.between([np.array(ratios) for ratios in pairs]))
