"""The race in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from race.analysis.model import Contest, Headline
from race.saved.model import Discipline


def headline(contests: Sequence[Contest], discipline: Discipline) -> Headline | None:
    """Best against the reference, on the discipline's own choice of task where that was ranked,
    else on the first that was; None without a ranking.
    """
    ranked = [contest for contest in contests if contest.ranked]
    ranked.sort(key=lambda one: (one.work.task != discipline.headline, one.work.load.pipeline))
    for contest in ranked:
        best, *others = [item.label for item in contest.standings if item.state == "ranked"]
        other = contest.reference if contest.reference in others else others[0]
        pair = next((p for p in contest.pairs if {p.first, p.second} == {best, other}), None)
        if pair is not None:
            estimate = pair.estimate if pair.first == best else pair.estimate.reversed()
            declared = pair.winner == best
            return Headline(best, other, contest.work.task, contest.title, estimate, declared)
    return None
