"""One contender at one task, as it is shown in a matrix, and the forms of its columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.text import Text

from race.analysis.model import ContenderResult
from race.analysis.trust import not_the_limit
from race.analysis.values import median
from race.report import format as words
from race.saved.model import Cell
from race.stats.estimate import Estimate, show_interval


@dataclass(frozen=True)
class MatrixEntry:
    """One contender at one task: the cells that ran, those that count, and its result.

    `item` is None for an A/A twin, and where nothing was analysed yet. `reference`: the ratios of
    the others are to it. `mark` is a sign of leading; `unfinished`: the race goes on.
    """

    ran: Sequence[Cell]
    valid: Sequence[Cell]
    item: ContenderResult | None
    reference: bool
    party: str
    mark: str
    unfinished: bool

    @property
    def waits(self) -> bool:
        """True while its first round at the task is not over."""
        if self.item is None:
            return self.unfinished and not self.valid
        # A contender may have got its cell since the analysis; half of an old round stays half.
        return self.item.state == "waiting" and (self.item.cells > 0 or not self.valid)

    @property
    def bound(self) -> bool:
        """True where its rate is a lower bound."""
        return not_the_limit(self.valid, self.party)

    @property
    def failed(self) -> bool:
        """True where it has no rate because a cell failed."""
        return not self.valid and any(cell.status == "failed" for cell in self.ran)

    @property
    def unsure(self) -> float | None:
        """The rate of cells that do not count, where none does."""
        if self.valid or self.failed:
            return None
        return median(cell.throughput for cell in self.ran)


def _rate(entry: MatrixEntry) -> Text:
    value = median(cell.throughput for cell in entry.valid)
    if value is not None:
        text = f"{entry.mark}{'≥' if entry.bound else ''}{words.short(value)}"
        return Text(text, "bold" if entry.mark else "")
    if entry.failed:
        return Text("failed", "red")
    if entry.unsure is not None:
        return Text(f"{words.short(entry.unsure)}?", "yellow")
    return Text("waiting" if entry.waits else words.NONE, "dim")


def _beside(entry: MatrixEntry, shown: Callable[[Estimate], str]) -> Text:
    """Return what stands beside a rate: that it waits, the reference, or its ratio as `shown`."""
    if entry.waits:
        return Text("waits" if entry.ran else "", "dim")
    if entry.reference:
        return Text("ref", "dim")
    known = entry.item and entry.item.ratio
    return Text(shown(known) if known and entry.valid else "")


def _ratio(entry: MatrixEntry) -> Text:
    return _beside(entry, lambda ratio: str(ratio) if ratio.bounded else f"{ratio} [?]")


def _interval(entry: MatrixEntry) -> Text:
    def limits(ratio: Estimate) -> str:
        if not ratio.bounded:
            return "[?]"
        return show_interval(ratio.ratio, math.exp(ratio.low), math.exp(ratio.high))[1]

    return _beside(entry, limits)


def _plus_minus(entry: MatrixEntry) -> Text:
    def longer_half(ratio: Estimate) -> str:
        if not ratio.bounded:
            return "±?"
        most = max(ratio.high - ratio.value, ratio.value - ratio.low)
        return f"±{math.ceil(100 * math.expm1(most) - 1e-9)}%"

    return _beside(entry, longer_half)


def _cpu(entry: MatrixEntry) -> Text:
    spent = entry.item.cpu_us.get(entry.party) if entry.item else None
    return Text("" if spent is None else words.number(spent))


Form = Sequence[tuple[str, Callable[[MatrixEntry], Text]]]
"""The columns of a task: the heading of each (empty: the task's, or none) and its text."""

FORMS: Sequence[Form] = (
    (("", _rate), ("ratio [95 %]", _ratio), ("µs", _cpu)),
    (("", _rate), ("[95 %]", _interval), ("µs", _cpu)),
    (("", _rate), ("", _plus_minus)),
)
"""Forms from the richest on: the first in which all tasks stand side by side is taken."""
