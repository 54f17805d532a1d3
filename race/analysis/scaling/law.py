"""The universal scalability law: a projection of rates from those that were measured.

N workers do C(N) = N / (1 + sigma (N - 1) + kappa N (N - 1)) times as much as one (N. J. Gunther,
Guerrilla Capacity Planning, Springer 2007, chapters 4 to 6). Sigma is the share of the work in
which they wait for each other (contention), kappa the price of keeping each pair of them in step
(coherency). With kappa above zero there is a maximum, beyond which more workers do less.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FEWEST = 3
"""The fewest numbers of workers that the law is fitted to. With three, both parameters follow from
two equations, and nothing is left over to tell how well the law fits.
"""
FARTHEST = 2
"""The law is projected up to so many times the largest number of workers of its points."""


@dataclass(frozen=True, slots=True)
class Law:
    """The parameters of a fit, and the largest number of workers among its points."""

    sigma: float
    kappa: float
    fitted_to: int

    def speedup(self, workers: float) -> float:
        """Return the speed-up of so many workers over one."""
        beside = workers - 1
        return workers / (1 + self.sigma * beside + self.kappa * workers * beside)

    @property
    def farthest(self) -> int:
        """The largest number of workers that it is projected to."""
        return FARTHEST * self.fitted_to

    @property
    def peak(self) -> float | None:
        """The number of workers with the largest speed-up; None if it is beyond the projection."""
        if self.sigma >= 1:
            return 1.0
        found = math.sqrt((1 - self.sigma) / self.kappa) if self.kappa > 0 else math.inf
        return found if found <= self.farthest else None


def fit(speedups: Mapping[int, float]) -> Law | None:
    """Fit the law to speed-ups by the number of workers; None if there are too few of them.

    N / C(N) - 1 = sigma (N - 1) + kappa N (N - 1) is linear in both. Neither is below zero: where
    least squares would have it so, the other one alone is fitted.
    """
    several = [n for n in sorted(speedups) if n > 1]
    if 1 not in speedups or len(several) + 1 < FEWEST:
        return None
    terms = np.array([[n - 1, n * (n - 1)] for n in several], dtype=float)
    losses = np.array([n / speedups[n] - 1 for n in several])
    sigma, kappa = map(float, np.linalg.lstsq(terms, losses)[0])
    if sigma < 0:
        sigma, kappa = 0.0, _slope(terms[:, 1], losses)
    elif kappa < 0:
        sigma, kappa = _slope(terms[:, 0], losses), 0.0
    return Law(sigma, kappa, several[-1])


def _slope(across: NDArray[np.float64], up: NDArray[np.float64]) -> float:
    """Return the slope of least squares through the origin, at least zero."""
    return max(0.0, float(across @ up / (across @ across)))
