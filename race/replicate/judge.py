"""Judges a replication, and finds what is wrong with a file of one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from race.replicate.predictions import PLANTED, TWIN, Claim
from race.replicate.record import FAILS, HOLDS, OPEN, Outcome, Ratio, Replication
from race.saved.model import NOBODY
from race.stats import signed_rank
from race.stats.noise import LEAST_MARGIN
from race.stats.verdict import Verdict, verdict

MOST_MARGIN = 1.1
"""The widest A/A margin of a machine that is quiet enough to say anything."""
MOST_RATIO = 1000.0
APART = 1.25
"""The factor by which the ratio of two medians may differ from the estimate within rounds."""
PARTIES = ("server", "generator", "database", NOBODY)


class Judged(NamedTuple):
    """An outcome, and why nothing can be said where it is "cannot say"."""

    outcome: Outcome
    reason: str = ""


def judged(found: Replication, claim: Claim) -> Replication:
    """Return a replication with its outcome, which follows from its figures."""
    outcome, reason = judge(found, claim)
    return replace(found, outcome=outcome, reason=reason)


def judge(found: Replication, claim: Claim) -> Judged:
    """Hold a replication against its prediction.

    A claim holds where the whole interval lies in the predicted one, and does not where it lies
    outside of it, or on the other side of 1.
    """
    reason, ratio = next(_obstacles(found), ""), found.ratio
    if reason or ratio is None:
        return Judged(OPEN, reason)
    low, high = claim.predicted
    if ratio.low > high or ratio.high < low or _reversed(ratio, claim.direction):
        return Judged(FAILS)
    if low <= ratio.low and ratio.high <= high:
        return Judged(HOLDS)
    return Judged(OPEN, "the interval lies on an end of the predicted one")


def _reversed(ratio: Ratio, direction: str) -> bool:
    return ratio.high < 1 if direction == "faster" else direction == "slower" and ratio.low > 1


def _obstacles(found: Replication) -> Iterator[str]:
    """Yield why a replication says nothing, the gravest reason first."""
    if found.obstacle:
        yield found.obstacle
    if found.ratio is None or found.twin is None or found.planted is None or not found.margin:
        needed = signed_rank.rounds_needed()
        yield f"fewer than {needed} rounds count, and {needed} are needed for an interval"
        return
    if found.claim != TWIN:
        twin = verdict(found.twin.estimate(found.rounds), LEAST_MARGIN)
        if twin is Verdict.DIFFERENT:
            yield f"the same engine twice (A/A) comes out different: {found.twin}"
        if found.margin > MOST_MARGIN:
            percent = 100 * (found.margin - 1)
            yield f"the same engine twice (A/A) may differ by {percent:.0f} %: too noisy a machine"
    if found.claim != PLANTED:
        planted = found.planted.estimate(found.rounds)
        if verdict(planted, math.log(found.margin)) is not Verdict.DIFFERENT or planted.value > 0:
            yield f"a planted slowdown of 10 % is not found: {found.planted}"


def problems(found: Replication, claims: Mapping[str, Claim]) -> Iterator[str]:
    """Yield what is wrong with a replication that somebody sends."""
    claim = claims.get(found.claim)
    if claim is None:
        yield f"no claim is called {found.claim!r}"
        return
    asked = (claim.predicted, claim.page, claim.pipeline, claim.connections)
    if (found.predicted, found.page, found.pipeline, found.connections) != asked:
        yield f"it was not raced as {claim.id} is: page, load or prediction differ"
    for name in ("ratio", "twin", PLANTED):
        yield from _impossible(name, getattr(found, name))
    yield from _unlike_its_rates(found, claim)
    yield from (
        f"{label}: {one.saturated!r} is no party"
        for label, one in found.contenders.items()
        if one.saturated and not {*one.saturated.split(" and ")} <= {*PARTIES}
    )
    if found.commit is None or found.dirty is not False:
        yield "it is not of a commit: run it again in a clean clone"
    if (found.outcome, found.reason) != judge(found, claim):
        yield f"its outcome {found.outcome!r} does not follow from its figures"


def _impossible(name: str, ratio: Ratio | None) -> Iterator[str]:
    if ratio is None:
        return
    if not ratio.low <= ratio.ratio <= ratio.high:
        yield f"{name} {ratio.ratio:g} is not within its interval [{ratio.low:g}, {ratio.high:g}]"
    if ratio.high > MOST_RATIO or ratio.low < 1 / MOST_RATIO:
        yield f"{name} is impossible: [{ratio.low:g}, {ratio.high:g}]"


def _unlike_its_rates(found: Replication, claim: Claim) -> Iterator[str]:
    """Yield that a contender of the pair is missing, or that its rates do not give the ratio."""
    missing = [label for label in claim.pair if label not in found.contenders]
    if found.ratio is None:
        return
    if missing:
        yield f"{missing[0]} is not among its contenders"
    elif claim.id != TWIN:
        ratio = found.ratio.ratio
        first, second = (found.contenders[label].rate for label in claim.pair)
        if abs(math.log(first) - math.log(second) - math.log(ratio)) > math.log(APART):
            yield f"its rates, {first:g} and {second:g}, do not give the ratio {ratio:g}"
