"""A test that several log-ratios of the same rounds have one centre.

It is the permutation test for randomized blocks, the blocks being rounds (E. J. G. Pitman,
Biometrika 29 (1938) 322, "III. The analysis of variance test"): if all columns have one centre,
then within a round any order of its values was as likely as the one seen. No distribution is
assumed. Friedman's test would need more rounds to refuse anything, because ranks within rounds
forget how far apart the columns are.
"""

from __future__ import annotations

import math
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

DRAWS = 1999
SEED = 20261121


def p_value(table: Array) -> float:
    """Return the p of "all columns have one centre" for a table of rounds x columns.

    The p of a single column is 1. The statistic is the sum of squared column sums. It is exact
    where there are no more orders than `DRAWS`, else from that many drawn with a fixed seed, the
    order seen counted among them.
    """
    rounds, columns = table.shape
    if columns < 2 or not rounds:
        return 1.0
    centred = table - table.mean(axis=1, keepdims=True)
    seen = _statistic(centred[None])[0]
    exact = math.factorial(columns) ** rounds <= DRAWS
    orders = _all(centred) if exact else _drawn(centred)
    found = int(np.sum(_statistic(orders) >= seen * (1 - 1e-9)))
    return found / len(orders) if exact else (found + 1) / (len(orders) + 1)


def _statistic(tables: Array) -> Array:
    sums: Array = tables.sum(axis=1)
    squares: Array = (sums**2).sum(axis=1)
    return squares


def _all(table: Array) -> Array:
    """Return every order within every round: orders x rounds x columns."""
    rounds = [[np.array(order) for order in permutations(row)] for row in table]
    return np.array([np.stack(chosen) for chosen in product(*rounds)])


def _drawn(table: Array) -> Array:
    tables = np.broadcast_to(table, (DRAWS, *table.shape))
    return np.random.default_rng(SEED).permuted(tables, axis=2)
