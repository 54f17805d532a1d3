"""The times of single operations as one text, over several tasks as geometric means."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from race.analysis.distributions import Timed, timed
from race.analysis.pairing import Run
from race.report import format as words
from race.report.claims.pairs import Side, Sides

PERCENTILES = (25.0, 50.0, 75.0, 90.0, 99.0, 99.99)


def times(runs: Sequence[Run], side: Side) -> str:
    """Return the mean with the least and the largest, the standard deviation, and percentiles; of
    several tasks and runs the geometric mean of each figure.
    """
    found = list(_timed(runs, side))
    moments = [one.moments for one in found if one.moments]
    if not moments or len(moments) < len(found):
        return words.NONE
    mean, least, most, deviation = (
        statistics.geometric_mean(getattr(one, name) for one in moments)
        for name in ("mean", "least", "most", "deviation")
    )
    return (
        f"mean {words.milliseconds(mean)} ({_short(least)} to {_short(most)}), deviation "
        f"{_short(deviation)} ({words.percent(deviation / mean)}), {_percentiles(found)}"
    )


def _percentiles(found: Sequence[Timed]) -> str:
    """Return the percentiles that enough operations exceed."""
    each = {
        percent: [us for one in found if (us := one.percentiles.get(percent))]
        for percent in PERCENTILES
    }
    return ", ".join(
        f"p{percent:g} {_short(statistics.geometric_mean(known))}"
        for percent, known in each.items()
        if len(known) == len(found)
    )


def _timed(runs: Sequence[Run], side: Side) -> Iterator[Timed]:
    for run in runs:
        for comparison, item in Sides([run], side, side).results(side):
            yield from (one for one in timed(run.analysis, comparison) if one.item == item)


def _short(us: float) -> str:
    return words.number(us / 1000)
