"""A verdict in words, and the headline of a race: the result, and in what the two differ."""

from __future__ import annotations

import math
from dataclasses import dataclass

from race.stats.estimate import Estimate, show_interval
from race.stats.noise import LEAST_MARGIN
from race.stats.verdict import Verdict, equality


def judged(first: str, second: str, where: str, estimate: Estimate, found: Verdict) -> str:
    """Return what a verdict says of two contenders, without the margin: the beginning of a
    sentence.
    """
    if found is Verdict.DIFFERENT:
        return f"{first} serves {where} {estimate} as fast as {second}"
    if found is Verdict.EQUAL:
        return f"{first} and {second} are shown equal on {where}: {estimate}"
    if estimate.high < 0:
        return judged(second, first, where, estimate.reversed(), found)
    if estimate.low > 0:
        limits = show_interval(estimate.ratio, math.exp(estimate.low), math.exp(estimate.high))[1]
        low, high = limits.strip("[]").split(", ")
        return f"{first} is probably {low} to {high} times as fast as {second} on {where}"
    return f"It is undecided whether {first} or {second} is faster on {where}: {estimate}"


def apart(margin: float) -> str:
    """Return why an interval that excludes 1 shows no difference, as a clause."""
    percent = f"{100 * math.expm1(margin):.1f} %"
    if margin <= LEAST_MARGIN:
        return f"less than {percent} is never called a difference"
    return f"the same code may differ by {percent} here, so this is not called a difference"


def unwon(estimate: Estimate, found: Verdict, margin: float) -> str:
    """Return the clause behind `judged`: what the margin means for this verdict."""
    if found is Verdict.DIFFERENT or not math.isfinite(margin):
        return ""
    if found is Verdict.EQUAL:
        return f", which is within {100 * math.expm1(equality(margin)):.3g} %"
    one_side = estimate.low > 0 or estimate.high < 0
    return f", but {apart(margin)}" if one_side else ""


@dataclass(frozen=True, slots=True)
class Headline:
    """The race in one sentence or two: `winner` against `other`.

    `verdict` is by the rule, with `margin` on the log scale. `differ` are the factors in which the
    two differ (none: they run the same code), `levels` the winner's and the other's level of each.
    `unknown` are those of the two that lack a factor which others have; then no factor is named.
    With a fixed `rate`, `estimate` and `margin` are of CPU time.
    """

    winner: str
    other: str
    task: str
    title: str
    estimate: Estimate
    verdict: Verdict
    margin: float
    differ: tuple[str, ...]
    levels: tuple[tuple[str, str], ...]
    unknown: tuple[str, ...] = ()
    rate: float | None = None

    @property
    def declared(self) -> bool:
        """True if `winner` won by the rule."""
        return self.verdict is Verdict.DIFFERENT and self.rate is None and self.estimate.value > 0

    @property
    def text(self) -> str:
        return f"{self.claim}. {self.difference}."

    @property
    def claim(self) -> str:
        """The result, without the factors in which the two differ."""
        if self.rate is not None:
            result = (
                f"At {self.rate:,.0f} a second {self.winner} served {self.title} "
                f"with {self.estimate} of the CPU time of {self.other}"
            )
            return result + unwon(self.estimate, self.verdict, self.margin)
        if self.estimate.bounded:
            result = judged(self.winner, self.other, self.title, self.estimate, self.verdict)
            return result + unwon(self.estimate, self.verdict, self.margin)
        return (
            f"{self.winner} served {self.title} {self.estimate} as fast as {self.other} "
            f"in {self.estimate.n} round{'s' * (self.estimate.n != 1)}: too few to call it"
        )

    @property
    def difference(self) -> str:
        """The factors in which they differ, with levels that the labels do not contain."""
        if self.unknown:
            who = " or ".join(self.unknown)
            return f"No factors describe {who}: more may differ than one thing"
        if not self.differ:
            return "They run the same code there"
        both = list(zip(self.differ, self.levels, strict=True))
        if len(both) == 1:
            return f"They differ in {self.differ[0]} alone{self._levels(*both[0])}"
        *most, last = (f"{factor}{self._levels(factor, levels)}" for factor, levels in both)
        return f"They differ in {', '.join(most)} and {last}"

    def _levels(self, factor: str, levels: tuple[str, str]) -> str:
        """Return the levels in parentheses, where the labels do not contain them."""
        one, other = levels
        if one and other and one in self.winner and other in self.other:
            return ""
        return f" ({level(factor, one)} against {other or 'none'})"


def level(factor: str, name: str) -> str:
    """Return the text of a level: "CPython 3.7"."""
    return f"CPython {name}" if factor == "python" and name[:1].isdigit() else name or "none"
