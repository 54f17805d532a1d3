"""Negative controls: contenders that run the same code at a task.

Two engines that differ in the driver alone run the same code where no database is asked. What is
left between them is another module loaded, another layout of memory: small, but the same in each
process. It is reported with its sign, and is no part of the margin.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping

from race.analysis.model import Controls
from race.saved.model import Contender
from race.stats import noise
from race.stats.processes import Kept, RoundValues

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


def controls(rates: Mapping[str, RoundValues], found: Groups, kept: Kept) -> Controls | None:
    """Return the controls of one work; None without a pair that has numbers."""
    widest = noise.widest(rates, found, kept)
    if widest is None:
        return None
    measured = (tuple(sorted(group & rates.keys())) for group in found)
    return Controls(tuple(labels for labels in measured if len(labels) > 1), *widest)
