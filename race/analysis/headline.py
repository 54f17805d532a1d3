"""The race in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from race.analysis.model import Contest, Standing
from race.analysis.spoken import Headline
from race.saved.model import Discipline, Work


def headline(contests: Sequence[Contest], discipline: Discipline) -> Headline | None:
    """On the discipline's own choice of task where that was ranked, else on the first that was.

    The best against the best-placed that it beat by the rule, of those that differ from it in one
    factor alone if there is one; where it beat nobody, against the runner-up. None without a
    ranking.
    """
    ranked = [contest for contest in contests if contest.ranked]
    for contest in sorted(ranked, key=lambda one: precedence(one.work, discipline)):
        best, *others = [item for item in contest.standings if item.state == "ranked"]
        found = [one for other in others if (one := against(contest, best, other))]
        beaten = [one for one in found if one.declared]
        alone = [one for one in beaten if len(one.differ) == 1]
        if found:
            return (alone or beaten or found)[0]
    return None


def precedence(work: Work, discipline: Discipline) -> tuple[bool, int]:
    """By which works are asked for a headline, the least first."""
    return work.task != discipline.headline, work.load.pipeline


def against(contest: Contest, best: Standing, other: Standing) -> Headline | None:
    """The sentence about these two; None where they have no common round."""
    labels = {best.label, other.label}
    pair = next((pair for pair in contest.pairs if {pair.first, pair.second} == labels), None)
    if pair is None:
        return None
    unknown = _unknown(contest, best, other)
    differ = () if unknown else _differ(contest, best, other)
    return Headline(
        winner=best.label,
        other=other.label,
        task=contest.work.task,
        title=contest.place,
        estimate=pair.estimate if pair.first == best.label else pair.estimate.reversed(),
        declared=pair.winner == best.label,
        differ=differ,
        levels=tuple((best.factors.get(one, ""), other.factors.get(one, "")) for one in differ),
        unknown=unknown,
    )


def _unknown(contest: Contest, one: Standing, other: Standing) -> tuple[str, ...]:
    """The labels of those two whose code no factor tells."""
    if (one.name, one.factors) == (other.name, other.factors):
        return ()
    return tuple(item.label for item in (one, other) if item.label not in contest.designs)


def _differ(contest: Contest, one: Standing, other: Standing) -> tuple[str, ...]:
    """The factors in which two contenders differ, without those that change nothing here."""
    ignored = contest.discipline.ignores.get(contest.work.task, ())
    return tuple(
        name
        for name in contest.discipline.factors
        if name not in ignored and one.factors.get(name) != other.factors.get(name)
    )
