"""Negative controls: contenders that run the same code at a task.

Two engines that differ in the driver alone run the same code where no database is asked. Whatever
tells them apart there is noise of a kind that one A/A twin may not show: another process, another
layout in memory, another place in the order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from race.analysis.model import Controls
from race.saved.model import Contender
from race.stats import ranking
from race.stats.ranking import Rounds

Groups = tuple[frozenset[str], ...]


def groups(contenders: Iterable[Contender], ignored: Collection[str]) -> Groups:
    """Labels of contenders that differ in nothing but factors `ignored`, two and more in a set."""
    alike: dict[tuple[tuple[str, str], ...], set[str]] = defaultdict(set)
    for one in contenders:
        if one.factors:
            kept = sorted(item for item in one.factors.items() if item[0] not in ignored)
            alike[tuple(kept)].add(one.label)
    return tuple(frozenset(labels) for labels in alike.values() if len(labels) > 1)


def controls(rates: Mapping[str, Rounds], found: Groups) -> Controls | None:
    """What the controls of one work say; None without a pair that has numbers."""
    widest = ranking.widest(rates, found)
    if widest is None:
        return None
    measured = [tuple(sorted(group & rates.keys())) for group in found]
    return Controls(tuple(one for one in measured if len(one) > 1), widest)
