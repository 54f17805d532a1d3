"""Chooses the rates of a search for a threshold: a bracket first, then lives of the process.

A search yields what to measure next and is sent the excess of it (`threshold`). It knows
neither servers nor clocks, so it can be tried on systems whose capacity is known.
"""

from __future__ import annotations

import math
import random
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import NamedTuple

from race.capacity.record import AT_LEAST, NEVER_KEPT, NEVER_OFFERED, Outcome
from race.capacity.threshold import Tried, threshold

UP, DOWN = math.log(1.4), math.log(0.6)
NARROW = math.log(1.25)
"""The width of a bracket that is narrow enough for lives to begin."""
OFFSETS = (-2, -1, 0, 1, 2)
MORE = 5
"""The most cells that are added to a life whose rates are all too low or all too high."""
LEAST_STEP, MOST_STEP = 0.01, 0.08
WIDTH = 0.6
"""The part of the slope's scale between two rates: a life's rates are late with 1/3 to 3 times as
many as may be.
"""
SURE = 3
"""The lives that must keep the promise at a rate that is named though it has not been broken."""


class Ask(NamedTuple):
    """The next cell: the log of its rate, and the life of the process; the bracket's is 0."""

    log_rate: float
    life: int


Excess = float | None
"""None: the generator cannot offer the rate."""


@dataclass
class Search:
    """A search from `start` down to `least` (rates). `outcome` says how it ended ("" while it goes
    on, or when time ended it), and `bound` is the rate that this is about.
    """

    start: float
    least: float
    chance: random.Random
    cells: list[Tried] = field(default_factory=list)
    outcome: Outcome = ""
    bound: float = 0.0

    def steps(self) -> Generator[Ask, Excess, None]:
        """Yield what to measure; ends where there is no threshold to be found."""
        bracket = yield from self._bracket()
        if bracket is None:
            return
        low, high = bracket
        centre, step, life = (low + high) / 2, (high - low) / 4, 0
        while True:
            life += 1
            yield from self._life(life, centre, step)
            found = threshold(self.cells)
            if found is not None:
                centre = found.rate.value
                step = max(WIDTH / found.slope, found.deviation / 2)
                step = min(MOST_STEP, max(LEAST_STEP, step))

    def _bracket(self) -> Generator[Ask, Excess, tuple[float, float] | None]:
        """Return the logs of a rate that keeps the promise and of one that breaks it."""
        least = math.log(self.least)
        low, high, rate = -math.inf, math.inf, max(least, math.log(self.start))
        offered = True
        while high - low > NARROW:
            excess = yield Ask(rate, 0)
            if excess is not None and excess < 1:
                low = rate
            elif rate <= least:
                self.outcome = NEVER_KEPT if excess is not None else NEVER_OFFERED
                self.bound = self.least
                return None
            else:
                high, offered = rate, excess is not None
            rate = _between(low, high, least)
        if not offered:
            yield from self._at_least(low)
            return None
        return low, high

    def _at_least(self, log_rate: float) -> Generator[Ask, Excess, None]:
        """Find a rate that several lives keep, from one that has been kept once."""
        kept, life = 0, 0
        while kept < SURE:
            life += 1
            excess = yield Ask(log_rate, life)
            if excess is not None and excess < 1:
                kept += 1
            else:
                kept, log_rate = 0, log_rate - NARROW / 2
        self.outcome, self.bound = AT_LEAST, math.exp(log_rate)

    def _life(self, life: int, centre: float, step: float) -> Generator[Ask, Excess, None]:
        """Measure rates around a centre in random order, then beyond those that are all alike."""
        shift = self.chance.uniform(-0.5, 0.5)
        rates = [centre + step * (offset + shift) for offset in OFFSETS]
        seen: dict[float, float] = {}
        for rate in self.chance.sample(rates, len(rates)):
            excess = yield Ask(rate, life)
            if excess is not None:
                seen[rate] = excess
        for more in range(MORE):
            beyond = _beyond(seen, step * 2**more)
            excess = (yield Ask(beyond, life)) if beyond is not None else None
            if beyond is None or excess is None:
                break
            seen[beyond] = excess
        self.cells += [Tried(life, rate, excess) for rate, excess in seen.items()]


def _between(low: float, high: float, least: float) -> float:
    """Return the next rate of a bracket, which is open at first."""
    if high == math.inf:
        return low + UP
    return max(least, high + DOWN) if low == -math.inf else (low + high) / 2


def _beyond(seen: dict[float, float], step: float) -> float | None:
    """Return a rate beyond those of a life that are all kept, or all broken; None if they are not:
    the lowest keeps the promise and the highest breaks it.
    """
    if not seen:
        return None
    lowest, highest = min(seen), max(seen)
    if seen[lowest] >= 1:
        return lowest - step
    return highest + step if seen[highest] < 1 else None
