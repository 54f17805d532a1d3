"""The verdict on a claim: by what was claimed, the interval of what was measured, and who won.

Not to know is no verdict: nothing holds because an interval is wide.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from race.report.articles.claimed import Claimed
from race.stats.estimate import Estimate
from race.stats.noise import LEAST_MARGIN

HOLDS, MORE, WEAKER, REVERSED = "holds", "holds, by more", "weaker", "reversed"
DIFFERENT, UNDECIDED = "does not hold", "undecided"
UNTESTED, UNMEASURED = "cannot be tested here", "not measured yet"
VERDICTS = {
    HOLDS: "the first is declared the winner and, of “at least so much”, the whole interval lies "
    "there; of a figure or a range, the interval reaches it, and the estimate lies within it or "
    "beyond it by no more than the tolerance, 10 % where the claim states no other. Of two that "
    "were claimed to be equal: the whole interval lies within the tolerance of 1",
    MORE: "the first is declared the winner, and the whole interval lies above the figure or range "
    "that was claimed",
    WEAKER: "the first is declared the winner, and the whole interval lies below what was claimed",
    REVERSED: "the second is declared the winner",
    DIFFERENT: "the whole interval lies below what was claimed, and nobody is declared the winner; "
    "of “faster”, it lies within the margin and the tolerance of 1, so that the two are equal; of "
    "two that were claimed to be equal, it lies beyond the tolerance. A claim of all cases: one of "
    "its rows says otherwise",
    UNDECIDED: "the interval allows more than one of these, or nobody can be declared the winner. "
    "Where the rate of the first is a lower bound (≥), only what a larger one would not change is "
    "decided; where that of the second is one, nothing is. Where the database was full, what the "
    "first could do with the rest of its core decides",
    UNTESTED: "for the reason given",
    UNMEASURED: "no saved run has it, or for the reason given",
}
"""Every verdict, and when it is given."""

EQUAL, APART = "they are equal within the margin", "they cannot be told apart"
BEHIND, AHEAD = "the second seems faster", "the first seems faster by less"


class Measured(NamedTuple):
    """A ratio, and who won: 1 the first, -1 the second, 0 neither.

    `margin` is how far from equal two must be, on the log scale. `bound`: the rate of the first is
    a lower bound, for whatever load. `capped` is who was full in its place where so many units at
    a time are a part of the question ("the database was full"); `room` is then how much more the
    first would do at most, at the CPU time that a unit costs it now, with its own core full, on the
    log scale. `note` is what else to know; without a ratio it says why.
    """

    ratio: Estimate | None
    winner: int
    margin: float = LEAST_MARGIN
    bound: bool = False
    capped: str = ""
    room: float = math.inf
    note: str = ""


Judged = tuple[str, str]
"""A verdict, and what it alone does not say."""


def judged(claimed: Claimed, found: Measured) -> Judged:
    """The verdict on a ratio that was claimed, and why."""
    ratio = found.ratio
    if ratio is None:
        return UNDECIDED, ""
    if not ratio.bounded:
        return UNDECIDED, "too few rounds for an interval"
    verdict, why = _rule(claimed, found.bound)(claimed, ratio, found)
    below = ratio.value < math.log(claimed.ratio[1])
    if not (found.capped and below and verdict in (WEAKER, DIFFERENT)):
        return verdict, why
    least, equal = claimed.ratio
    needed = math.log(least) - (math.log(claimed.tolerance) if equal == 1 else 0)
    if ratio.high + found.room >= needed:
        return UNDECIDED, f"a lower bound, {found.capped}"
    most = f"with its own core full the first would make {math.exp(found.room):.2f} times as much"
    return verdict, "; ".join(filter(None, (why, f"{found.capped}, but {most} at most")))


Rule = Callable[[Claimed, Estimate, Measured], Judged]


def _rule(claimed: Claimed, bound: bool) -> Rule:
    least, most = claimed.ratio
    if most == 1:
        return _larger_than_equal if bound else _equal
    if bound:
        return _larger
    if least < 1:
        return _no_slower
    return _at_least if math.isinf(most) else _figure


def _equal(claimed: Claimed, ratio: Estimate, found: Measured) -> Judged:
    """Two are shown to be equal, or to be not: who cannot be told apart is neither."""
    within = math.log(claimed.tolerance)
    if -within <= ratio.low and ratio.high <= within:
        return HOLDS, ""
    beyond = ratio.low > within or ratio.high < -within
    return (DIFFERENT if beyond else UNDECIDED), ""


def _no_slower(claimed: Claimed, ratio: Estimate, found: Measured) -> Judged:
    """The first costs no more than so much: nobody has to win."""
    least = math.log(claimed.ratio[0])
    if ratio.low >= least:
        return HOLDS, ""
    return (DIFFERENT if ratio.high < least else UNDECIDED), ""


def _at_least(claimed: Claimed, ratio: Estimate, found: Measured) -> Judged:
    least = math.log(claimed.ratio[0])
    if found.winner < 0:
        return REVERSED, ""
    if ratio.high < least:
        return _below(ratio, found)
    if found.winner > 0:
        return (HOLDS if ratio.low >= least else UNDECIDED), ""
    if least == 0 and ratio.bound <= min(found.margin, math.log(claimed.tolerance)):
        return DIFFERENT, EQUAL
    return UNDECIDED, ""


def _figure(claimed: Claimed, ratio: Estimate, found: Measured) -> Judged:
    least, most = map(math.log, claimed.ratio)
    if found.winner < 0:
        return REVERSED, ""
    if ratio.high < least:
        return _below(ratio, found)
    if not found.winner:
        return UNDECIDED, ""
    if ratio.low > most:
        return MORE, ""
    within = math.log(claimed.tolerance)
    near = least - within <= ratio.value <= most + within
    return (HOLDS if near else UNDECIDED), ""


def _below(ratio: Estimate, found: Measured) -> Judged:
    """The whole interval is below what was claimed: weaker only where the first is faster."""
    if found.winner > 0:
        return WEAKER, ""
    return DIFFERENT, BEHIND if ratio.high < 0 else AHEAD if ratio.low > 0 else APART


def _larger_than_equal(claimed: Claimed, ratio: Estimate, found: Measured) -> Judged:
    """The true ratio is at least this one."""
    return (DIFFERENT if ratio.low > math.log(claimed.tolerance) else UNDECIDED), ""


def _larger(claimed: Claimed, ratio: Estimate, found: Measured) -> Judged:
    """The true ratio is at least this one: of a figure, that it is reached is all that is known."""
    least, most = map(math.log, claimed.ratio)
    if ratio.low < least or (least >= 0 and found.winner <= 0):
        return UNDECIDED, ""
    return (MORE if ratio.low > most else HOLDS), ""
