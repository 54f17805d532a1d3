"""The choice of what a race says in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from race.analysis.model import Comparison, ContenderResult
from race.analysis.sentence import Headline
from race.saved.model import Discipline, Work
from race.stats.estimate import Estimate
from race.stats.ranking import find_pair
from race.stats.verdict import Verdict


def headline(comparisons: Sequence[Comparison], discipline: Discipline) -> Headline | None:
    """Return the headline; None where nobody is ranked nor kept up with a rate.

    It is about the discipline's headline task if that was ranked, else about the first task that
    was. It compares the best with the best-placed contender that it beat, preferably one that
    differs in a single factor, or with the runner-up if it beat nobody. With too few rounds for
    that, as in a race at fixed rates, it is about the cost of a unit (`at_rate`).
    """
    found = _ranked(comparisons, discipline)
    return found if found and found.estimate.bounded else at_rate(comparisons, discipline) or found


def _ranked(comparisons: Sequence[Comparison], discipline: Discipline) -> Headline | None:
    ranked = [comparison for comparison in comparisons if comparison.ranked]

    def key(one: Comparison) -> tuple[bool, bool, int]:
        """Put those last whose first is a lower bound, for which there is no ratio."""
        return one.results[0].state == "at-least", *precedence(one.work, discipline)

    for comparison in sorted(ranked, key=key):
        best, *others = [item for item in comparison.results if item.state == "ranked"]
        found = [one for other in others if (one := against(comparison, best, other))]
        beaten = [one for one in found if one.declared]
        alone = [one for one in beaten if len(one.differ) == 1]
        if found:
            return (alone or beaten or found)[0]
    return None


def precedence(work: Work, discipline: Discipline) -> tuple[bool, int]:
    """Return the key that sorts works for a headline, the first choice first."""
    return work.task != discipline.headline, work.load.pipeline


def at_rate(comparisons: Sequence[Comparison], discipline: Discipline) -> Headline | None:
    """Return a headline about the CPU time of a unit at a fixed rate.

    The contender with the least CPU time is compared with the reference, or the reference with the
    next one, at the highest rate at which most were compared. None without enough rounds.
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
        return _sentence(comparison, reference, cheapest, estimate.reversed(), cheapest.cpu_verdict)
    return _sentence(comparison, cheapest, reference, estimate, cheapest.cpu_verdict)


def _costs(comparison: Comparison) -> list[tuple[Estimate, ContenderResult]]:
    """Return ratios of CPU time per unit to the reference, of all that kept up but its twin."""
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
    """Return the headline about these two; None where they have no common round."""
    pair = find_pair(comparison.pairs, best.label, other.label)
    if pair is None:
        return None
    return _sentence(comparison, best, other, pair.estimate, pair.verdict)


def _sentence(
    comparison: Comparison,
    best: ContenderResult,
    other: ContenderResult,
    estimate: Estimate,
    found: Verdict,
) -> Headline:
    unknown = _unknown(comparison, best, other)
    differ = () if unknown else _differ(comparison, best, other)
    return Headline(
        winner=best.label,
        other=other.label,
        task=comparison.work.task,
        title=comparison.place,
        estimate=estimate,
        verdict=found,
        margin=comparison.cpu_margin if comparison.rated else comparison.margin,
        differ=differ,
        levels=tuple((best.factors.get(one, ""), other.factors.get(one, "")) for one in differ),
        unknown=unknown,
        rate=comparison.work.load.rate,
    )


def _unknown(
    comparison: Comparison, one: ContenderResult, other: ContenderResult
) -> tuple[str, ...]:
    """Return which of the two lack a factor that others have, by label."""
    if (one.name, one.factors) == (other.name, other.factors):
        return ()
    return tuple(item.label for item in (one, other) if item.label not in comparison.designs)


def _differ(
    comparison: Comparison, one: ContenderResult, other: ContenderResult
) -> tuple[str, ...]:
    """Return the factors in which two contenders differ, without those that are ignored here."""
    ignored = comparison.discipline.ignores.get(comparison.work.task, ())
    return tuple(
        name
        for name in comparison.discipline.factors
        if name not in ignored and one.factors.get(name) != other.factors.get(name)
    )
