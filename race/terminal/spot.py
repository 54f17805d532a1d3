"""One contender at one task, as it is shown in a matrix."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.text import Text

from race.analysis.model import Comparison, ContenderResult
from race.analysis.trust import not_the_limit
from race.analysis.values import median
from race.report import format as words
from race.saved.model import Cell
from race.stats.estimate import show_interval


@dataclass(frozen=True)
class Spot:
    """One contender at one task: the cells that ran and those that count; where it stands.

    `item` is None for an A/A twin, and where nothing was analysed yet; `mark` is how it leads
    there, if it does; `unfinished` is said of the race.
    """

    ran: Sequence[Cell]
    valid: Sequence[Cell]
    comparison: Comparison | None
    item: ContenderResult | None
    party: str
    mark: str
    unfinished: bool

    @property
    def waits(self) -> bool:
        """Whether its first round here is not over."""
        if self.item is None:
            return self.unfinished and not self.valid
        # A contender may have got its cell since the analysis; half of an old round stays half.
        return self.item.state == "waiting" and (self.item.cells > 0 or not self.valid)

    @property
    def reference(self) -> bool:
        """Whether the others' ratios are to it."""
        return bool(self.comparison and self.item and self.comparison.reference == self.item.label)

    @property
    def bound(self) -> bool:
        """Whether its rate is a lower bound."""
        return not_the_limit(self.valid, self.party)

    @property
    def failed(self) -> bool:
        """Whether it has no rate because a cell failed."""
        return not self.valid and any(cell.status == "failed" for cell in self.ran)

    @property
    def unsure(self) -> float | None:
        """The rate of what does not count, where nothing does."""
        if self.valid or self.failed:
            return None
        return median(cell.throughput for cell in self.ran)


def _rate(spot: Spot) -> Text:
    value = median(cell.throughput for cell in spot.valid)
    if value is not None:
        text = f"{spot.mark}{'≥' if spot.bound else ''}{words.short(value)}"
        return Text(text, "bold" if spot.mark else "")
    if spot.failed:
        return Text("failed", "red")
    if spot.unsure is not None:
        return Text(f"{words.short(spot.unsure)}?", "yellow")
    return Text("waiting" if spot.waits else words.NONE, "dim")


def _beside(spot: Spot, told: Callable[[Comparison, ContenderResult], str]) -> Text:
    """What stands beside a rate: that it waits, that it is the reference, or how sure it is."""
    if spot.waits:
        return Text("waits" if spot.ran else "", "dim")
    if spot.reference:
        return Text("ref", "dim")
    if spot.comparison is None or spot.item is None or spot.item.ratio is None or not spot.valid:
        return Text("")
    return Text(told(spot.comparison, spot.item))


def _ratio(spot: Spot) -> Text:
    return _beside(spot, _whole)


def _whole(_: Comparison, item: ContenderResult) -> str:
    return str(item.ratio) if item.ratio and item.ratio.bounded else f"{item.ratio} [?]"


def _interval(spot: Spot) -> Text:
    return _beside(spot, _limits)


def _limits(_: Comparison, item: ContenderResult) -> str:
    ratio = item.ratio
    if ratio is None or not ratio.bounded:
        return "[?]"
    return show_interval(ratio.ratio, math.exp(ratio.low), math.exp(ratio.high))[1]


def _plus_minus(spot: Spot) -> Text:
    return _beside(spot, _half)


def _half(_: Comparison, item: ContenderResult) -> str:
    """Of the interval, the longer one, rounded up."""
    ratio = item.ratio
    if ratio is None or not ratio.bounded:
        return "±?"
    most = max(ratio.high - ratio.value, ratio.value - ratio.low)
    return f"±{math.ceil(100 * math.expm1(most) - 1e-9)}%"


def _cpu(spot: Spot) -> Text:
    spent = spot.item.cpu_us.get(spot.party) if spot.item else None
    return Text("" if spent is None else words.number(spent))


Part = tuple[str, Callable[[Spot], Text]]
"""A column: its heading (empty: the task's, or none) and what stands in it."""

FORMS: Sequence[Sequence[Part]] = (
    (("", _rate), ("ratio [95 %]", _ratio), ("µs", _cpu)),
    (("", _rate), ("[95 %]", _interval), ("µs", _cpu)),
    (("", _rate), ("", _plus_minus)),
)
"""The richest first: the first in which all tasks stand side by side is taken."""
