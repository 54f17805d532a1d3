"""The headline of a race as text: the result, and the factors in which the two differ."""

from __future__ import annotations

from dataclasses import dataclass

from race.stats.estimate import Estimate


@dataclass(frozen=True, slots=True)
class Headline:
    """The race in one sentence or two: `winner` against `other`.

    `declared` means that it won by the rule. `differ` are the factors in which the two differ
    (none: they run the same code), `levels` the winner's and the other's level of each. `unknown`
    are those of the two that lack a factor which others have; then no factor is named. With a fixed
    `rate`, `estimate` is of CPU time, and nobody is declared.
    """

    winner: str
    other: str
    task: str
    title: str
    estimate: Estimate
    declared: bool
    differ: tuple[str, ...]
    levels: tuple[tuple[str, str], ...]
    unknown: tuple[str, ...] = ()
    rate: float | None = None

    @property
    def text(self) -> str:
        return f"{self.claim}. {self.difference}."

    @property
    def claim(self) -> str:
        """The result, without the factors in which the two differ."""
        if self.rate is not None:
            return (
                f"At {self.rate:,.0f} a second {self.winner} served {self.title} "
                f"with {self.estimate} of the CPU time of {self.other}"
            )
        if self.declared:
            return f"{self.winner} serves {self.title} {self.estimate} as fast as {self.other}"
        if self.estimate.bounded:
            both = f"{self.winner} and {self.other}"
            return f"{both} cannot be told apart on {self.title}: {self.estimate}"
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
