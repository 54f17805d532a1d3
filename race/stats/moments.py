"""Mean, deviation, least and largest of many observations, pooled from parts."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple


class Moments(NamedTuple):
    """The moments of `number` observations; `deviation` is the standard deviation of them all."""

    number: int
    least: float
    mean: float
    most: float
    deviation: float

    @property
    def variation(self) -> float:
        """The coefficient of variation; 0 where the mean is 0."""
        return self.deviation / self.mean if self.mean else 0.0


def pooled(parts: Iterable[Moments]) -> Moments | None:
    """Return the moments of all observations together; None without any.

    The variance is the mean of the parts' variances plus the variance of the parts' means, both
    weighted by count (law of total variance: G. Casella, R. L. Berger, Statistical Inference, 2nd
    ed., Duxbury 2002, theorem 4.4.7).
    """
    known = [part for part in parts if part.number]
    if not known:
        return None
    number = sum(part.number for part in known)
    mean = math.fsum(part.number * part.mean for part in known) / number
    squares = (part.number * (part.deviation**2 + (part.mean - mean) ** 2) for part in known)
    return Moments(
        number=number,
        least=min(part.least for part in known),
        mean=mean,
        most=max(part.most for part in known),
        deviation=math.sqrt(math.fsum(squares) / number),
    )
