"""The verdict on a claim: from what was claimed, the interval that was measured, and who won.

A wide interval proves nothing: where it allows more than one verdict, the claim is undecided.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from race.report.claims.article import Claimed
from race.stats.estimate import Estimate
from race.stats.noise import LEAST_MARGIN
from race.stats.verdict import Verdict, verdict

HOLDS, WEAKER, REFUTED = "holds", "weaker", "does not hold"
UNDECIDED, UNMEASURED, SHOWN = "undecided", "not measured", "shown"
VERDICTS = {
    HOLDS: "the measurement shows what was claimed, by the rule for its kind",
    WEAKER: "the first is declared the winner, but the whole interval lies below the claim",
    REFUTED: "the second is declared the winner, or the whole interval lies below the claim and "
    "nobody is declared the winner, or the rule for its kind says so",
    UNDECIDED: "the interval allows several of these, or no winner can be declared. A lower bound "
    "decides only what a larger rate would not change",
    SHOWN: "an absolute figure of the article's machine and versions: ours stands beside it, and "
    "nothing is judged",
    UNMEASURED: "no saved run has it, or the reason is given",
}
"""Verdicts, each with when it is given."""
KINDS = {
    "“faster”": "holds where the first is declared the winner. It does not hold where the two are "
    "shown equal and the interval contains 1",
    "“at least”": "holds where the first is declared the winner and the whole interval reaches the "
    "claim. Of a claim below 1 nobody has to win",
    "a figure or a range": "holds where the first is declared the winner and the interval reaches "
    "the claim. The estimate may miss it by the tolerance (10 % unless the claim states another) "
    "or the whole interval lies above it",
    "“the same”": "holds where the two are shown equal and the whole interval lies within the "
    "tolerance of 1. It does not hold where the interval lies beyond the margin and the tolerance",
    "all cases": "does not hold where one row does not",
}
"""Kinds of claims, each with its rule."""

SLOWER = "the second is faster"
EQUAL, NO_DIFFERENCE = "they are shown equal", "no difference is shown"
BEHIND, AHEAD = "the second seems faster", "the first seems faster by less"


class MeasuredRatio(NamedTuple):
    """A ratio, and who won: 1 the first, -1 the second, 0 neither.

    `margin` is how far from equal two must be, on the log scale. With `bound`, the rate of the
    first is a lower bound. `note` is what else to know, or why there is no ratio.
    """

    ratio: Estimate | None
    winner: int
    margin: float = LEAST_MARGIN
    bound: bool = False
    note: str = ""


Judged = tuple[str, str]
"""A verdict, and what it alone does not say."""


def judged(claimed: Claimed, found: MeasuredRatio) -> Judged:
    """Return the verdict on a claimed ratio, and why."""
    ratio = found.ratio
    if ratio is None:
        return UNDECIDED, ""
    if not ratio.bounded:
        return UNDECIDED, "too few rounds for an interval"
    return _rule(claimed, found.bound)(claimed, ratio, found)


Rule = Callable[[Claimed, Estimate, MeasuredRatio], Judged]


def _rule(claimed: Claimed, bound: bool) -> Rule:
    least, most = claimed.ratio
    if most == 1:
        return _larger_than_equal if bound else _equal
    if bound:
        return _larger
    if least < 1:
        return _no_slower
    return _at_least if math.isinf(most) else _figure


def _equal(claimed: Claimed, ratio: Estimate, found: MeasuredRatio) -> Judged:
    """Judge a claim of no difference: the interval must show either equality or a difference."""
    ends = sorted((math.log(claimed.tolerance), found.margin))
    if verdict(ratio, ends[0]) is Verdict.EQUAL:
        return HOLDS, ""
    return (REFUTED if verdict(ratio, ends[1]) is Verdict.DIFFERENT else UNDECIDED), ""


def _no_slower(claimed: Claimed, ratio: Estimate, found: MeasuredRatio) -> Judged:
    """Judge a claim that the first costs no more than so much: nobody has to win."""
    least = math.log(claimed.ratio[0])
    if ratio.low >= least:
        return HOLDS, ""
    return (REFUTED if ratio.high < least else UNDECIDED), ""


def _at_least(claimed: Claimed, ratio: Estimate, found: MeasuredRatio) -> Judged:
    least = math.log(claimed.ratio[0])
    if found.winner < 0:
        return REFUTED, SLOWER
    if ratio.high < least:
        return _below(ratio, found)
    if found.winner > 0:
        return (HOLDS if ratio.low >= least else UNDECIDED), ""
    within = min(found.margin, math.log(claimed.tolerance))
    if least == 0 and ratio.low <= 0 and verdict(ratio, within) is Verdict.EQUAL:
        return REFUTED, EQUAL
    return UNDECIDED, ""


def _figure(claimed: Claimed, ratio: Estimate, found: MeasuredRatio) -> Judged:
    least, most = map(math.log, claimed.ratio)
    if found.winner < 0:
        return REFUTED, SLOWER
    if ratio.high < least:
        return _below(ratio, found)
    if not found.winner:
        return UNDECIDED, ""
    within = math.log(claimed.tolerance)
    near = least - within <= ratio.value <= most + within
    return (HOLDS if near or ratio.low > most else UNDECIDED), ""


def _below(ratio: Estimate, found: MeasuredRatio) -> Judged:
    """Judge an interval that lies below the claim: weaker only where the first is the winner."""
    if found.winner > 0:
        return WEAKER, ""
    return REFUTED, BEHIND if ratio.high < 0 else AHEAD if ratio.low > 0 else NO_DIFFERENCE


def _larger_than_equal(claimed: Claimed, ratio: Estimate, found: MeasuredRatio) -> Judged:
    """Judge a claim of no difference where the true ratio is at least this one."""
    return (REFUTED if ratio.low > math.log(claimed.tolerance) else UNDECIDED), ""


def _larger(claimed: Claimed, ratio: Estimate, found: MeasuredRatio) -> Judged:
    """Judge a figure where the true ratio is at least this one, so that it can only be reached."""
    least = math.log(claimed.ratio[0])
    reached = ratio.low >= least and (least < 0 or found.winner > 0)
    return (HOLDS if reached else UNDECIDED), ""
