"""The race in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from race.analysis.model import Comparison, ContenderResult
from race.analysis.sentence import Headline
from race.saved.model import Discipline, Work
from race.stats.estimate import Estimate


def headline(comparisons: Sequence[Comparison], discipline: Discipline) -> Headline | None:
    """On the discipline's own choice of task where that was ranked, else on the first that was.

    The best against the best-placed that it beat by the rule, of those that differ from it in one
    factor alone if there is one; where it beat nobody, against the runner-up. Where the rounds were
    too few for that, as the closed ones of a race at fixed rates are, what a unit costs at the
    highest rate that most kept. None where nobody is ranked nor kept a rate.
    """
    found = _ranked(comparisons, discipline)
    return found if found and found.estimate.bounded else at_rate(comparisons, discipline) or found


def _ranked(comparisons: Sequence[Comparison], discipline: Discipline) -> Headline | None:
    ranked = [comparison for comparison in comparisons if comparison.ranked]
    for comparison in sorted(ranked, key=lambda one: precedence(one.work, discipline)):
        best, *others = [item for item in comparison.results if item.state == "ranked"]
        found = [one for other in others if (one := against(comparison, best, other))]
        beaten = [one for one in found if one.declared]
        alone = [one for one in beaten if len(one.differ) == 1]
        if found:
            return (alone or beaten or found)[0]
    return None


def precedence(work: Work, discipline: Discipline) -> tuple[bool, int]:
    """By which works are asked for a headline, the least first."""
    return work.task != discipline.headline, work.load.pipeline


def at_rate(comparisons: Sequence[Comparison], discipline: Discipline) -> Headline | None:
    """What a unit costs at a rate that both kept: whoever used least CPU time against the
    reference, or the reference against the next one; at the highest rate that most were compared
    at. An estimate, no winner. None where nobody kept a rate for rounds enough.
    """
    shared = [(comparison, costs) for comparison in comparisons if (costs := _costs(comparison))]
    if not shared:
        return None
    comparison, costs = max(
        shared,
        key=lambda one: (
            one[0].work.task == discipline.headline,
            len(one[1]),
            one[0].work.load.rate or 0.0,
        ),
    )
    reference = next(item for item in comparison.results if item.label == comparison.reference)
    estimate, cheapest = min(costs, key=lambda one: one[0].value)
    if estimate.value > 0:
        return _sentence(comparison, reference, cheapest, estimate.reversed(), declared=False)
    return _sentence(comparison, cheapest, reference, estimate, declared=False)


def _costs(comparison: Comparison) -> list[tuple[Estimate, ContenderResult]]:
    """CPU time of a unit against the reference's, of those who kept a rate and are not its twin."""
    if not comparison.rated:
        return []
    same = [
        (one.name, one.factors) for one in comparison.results if one.label == comparison.reference
    ]
    return [
        (item.cpu_ratio, item)
        for item in comparison.results
        if item.state == "fixed-rate" and (item.name, item.factors) not in same
        if item.cpu_ratio and item.cpu_ratio.bounded
    ]


def against(
    comparison: Comparison, best: ContenderResult, other: ContenderResult
) -> Headline | None:
    """The sentence about these two; None where they have no common round."""
    labels = {best.label, other.label}
    pair = next((pair for pair in comparison.pairs if {pair.first, pair.second} == labels), None)
    if pair is None:
        return None
    estimate = pair.estimate if pair.first == best.label else pair.estimate.reversed()
    return _sentence(comparison, best, other, estimate, pair.winner == best.label)


def _sentence(
    comparison: Comparison,
    best: ContenderResult,
    other: ContenderResult,
    estimate: Estimate,
    declared: bool,
) -> Headline:
    unknown = _unknown(comparison, best, other)
    differ = () if unknown else _differ(comparison, best, other)
    return Headline(
        winner=best.label,
        other=other.label,
        task=comparison.work.task,
        title=comparison.place,
        estimate=estimate,
        declared=declared,
        differ=differ,
        levels=tuple((best.factors.get(one, ""), other.factors.get(one, "")) for one in differ),
        unknown=unknown,
        rate=comparison.work.load.rate,
    )


def _unknown(
    comparison: Comparison, one: ContenderResult, other: ContenderResult
) -> tuple[str, ...]:
    """The labels of those two whose code no factor tells."""
    if (one.name, one.factors) == (other.name, other.factors):
        return ()
    return tuple(item.label for item in (one, other) if item.label not in comparison.designs)


def _differ(
    comparison: Comparison, one: ContenderResult, other: ContenderResult
) -> tuple[str, ...]:
    """The factors in which two contenders differ, without those that change nothing here."""
    ignored = comparison.discipline.ignores.get(comparison.work.task, ())
    return tuple(
        name
        for name in comparison.discipline.factors
        if name not in ignored and one.factors.get(name) != other.factors.get(name)
    )
