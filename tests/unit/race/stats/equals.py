"""Invented races of equals: nine contenders and an A/A twin on five pages."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from race.stats import effects
from race.stats.processes import lives
from tests.support import synthetic

Array = NDArray[np.float64]

# On the last two pages, engines that differ in the driver alone run the same code.
NONE: list[list[list[int]]] = [[]] * 5
ARTICLE = [*NONE[:3], [[0, 1, 2], [3, 4]], [[0, 1, 2], [3, 4]]]

FACTORS = synthetic.DISCIPLINE.factors
DESIGNS = {
    str(number): one.factors
    for number, one in enumerate(synthetic.contenders(synthetic.Recipe()))
    if not one.aa
}
IGNORED: list[list[str]] = [[], [], [], *[["backend", "connection"]] * 2]
CONTRASTS = [
    [
        [(int(one), int(two)) for one, two in pairs]
        for _, pairs in effects.contrasts(DESIGNS, FACTORS, ignored)
    ]
    for ignored in IGNORED
]


def races_of_equals(
    races: int,
    rounds: int,
    spread: float = 0.03,
    processes: float = 0.0,
    works: int = 5,
    contenders: int = 9,
    restart: int = 0,
) -> Array:
    """Return races x works x (contenders + 1) x rounds, with heavy tails (t of 3) of `spread`.

    `processes` is the standard deviation of what sets each process apart for its life, `restart`
    rounds or the whole race.
    """
    random = np.random.default_rng(20261122)
    shape = (races, works, contenders + 1)
    cells = random.standard_t(3, (*shape, rounds)) * spread / math.sqrt(3)
    life = lives(range(1, rounds + 1), restart)
    own: Array = random.normal(0, processes, (*shape, int(life[-1]) + 1))
    values: Array = cells + own[..., life]
    return values
