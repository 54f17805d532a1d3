"""One ratio from several runs, with an interval that has the spread between runs in it.

The ratio of two contenders differs from run to run by more than the scatter of rounds, so runs are
drawn from a distribution (random effects). Its variance is estimated by moments (R. DerSimonian,
N. Laird, Controlled Clinical Trials 7 (1986) 177). The interval is that of J. Hartung and G. Knapp,
Stat. Med. 20 (2001) 3875, with Student's t, and never narrower than the variances allow (G. Knapp,
J. Hartung, Stat. Med. 22 (2003) 2693). With few runs it covers what it says, where the usual normal
interval does not (J. IntHout, J. Ioannidis, G. Borm, BMC Med. Res. Methodol. 14 (2014) 25).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from race.stats.estimate import Estimate
from race.stats.signed_rank import ALPHA
from race.stats.student import quantile

Array = NDArray[np.float64]

FEWEST = 3
"""Two runs would have an interval 13 standard errors wide."""


def combined(runs: Sequence[Estimate], alpha: float = ALPHA) -> Estimate:
    """Estimate the ratio over runs at `1 - alpha`, as the runs do theirs; `n` is the number of
    runs, `FEWEST` or more.

    Where a run has too few rounds for an interval of its own, all runs count alike.
    """
    rounds = np.array([one.n for one in runs])
    errors = None
    if all(one.bounded and one.n > 1 for one in runs):
        errors = standard_errors(np.array([one.high - one.low for one in runs]), rounds, alpha)
    centre, half = limits(np.array([one.value for one in runs]), errors, alpha)
    return Estimate(float(centre), float(centre - half), float(centre + half), len(runs))


def standard_errors(widths: Array, rounds: NDArray[np.int_], alpha: float = ALPHA) -> Array:
    """Return the standard error of each run's estimate, from the widths of their intervals.

    The scatter of a round is pooled over runs, since that of a few rounds is hardly known.
    """
    t = np.array([quantile(alpha, int(number) - 1) for number in rounds])
    scatter = (rounds * (widths / (2 * t)) ** 2).mean(axis=-1, keepdims=True)
    found: Array = np.sqrt(scatter / rounds)
    return found


def limits(values: Array, errors: Array | None, alpha: float = ALPHA) -> tuple[Array, Array]:
    """Return the centre and the half-width of the interval along the last axis, which is runs.

    Without `errors`, the standard errors of the runs, this is the t interval of their mean.
    """
    runs = values.shape[-1]
    weights = np.ones_like(values) if errors is None else _weights(values, errors)
    total = weights.sum(axis=-1)
    centre = (weights * values).sum(axis=-1) / total
    scale = (weights * (values - centre[..., None]) ** 2).sum(axis=-1) / (runs - 1)
    if errors is not None:
        scale = np.maximum(1.0, scale)
    half: Array = quantile(alpha, runs - 1) * np.sqrt(scale / total)
    return centre, half


def _weights(values: Array, errors: Array) -> Array:
    """Return one over the variance of each run's value, of its rounds and between runs."""
    fixed = 1 / np.maximum(errors, 1e-9) ** 2
    total = fixed.sum(axis=-1)
    centre = (fixed * values).sum(axis=-1) / total
    excess = (fixed * (values - centre[..., None]) ** 2).sum(axis=-1) - (values.shape[-1] - 1)
    between = np.maximum(0.0, excess / (total - (fixed**2).sum(axis=-1) / total))
    found: Array = 1 / (1 / fixed + between[..., None])
    return found


def new_run(combined: Estimate) -> Estimate:
    """Return where the ratio of one more run would lie at 95 %: the prediction interval of one
    observation (W. Q. Meeker, G. J. Hahn, L. A. Escobar, Statistical Intervals, 2nd ed., Wiley
    2017, chapter 4), which is sqrt(n + 1) times as wide as that of the mean.
    """
    half = (combined.high - combined.low) / 2 * math.sqrt(combined.n + 1)
    return Estimate(combined.value, combined.value - half, combined.value + half, combined.n)
