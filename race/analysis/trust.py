"""The trust that a race deserves: its warnings, and why a contender has no rank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from race.analysis.model import Comparison, State, Trust, spread
from race.analysis.values import a, latest_cells, median, utilisation, who_was_saturated
from race.saved.model import CALIBRATION, Cell
from race.saved.reader import SavedRace
from race.stats import signed_rank
from race.stats.estimate import Estimate
from race.stats.noise import LEAST_MARGIN


def state(
    ran: Sequence[Cell], counted: Sequence[Cell], ranked: bool, party: str
) -> tuple[State, str | None]:
    """Return the state of a contender on one work, with its commonest reason when it has no rank.

    `ran` are all its cells, `counted` those that count; `party` is the one under test.
    """
    if limit := limited(counted, party):
        cells = f"{limit.cells} of {len(counted)} cells"
        return "at-least", f"{limit.who} in {cells}: this is a lower bound"
    if ranked:
        return "ranked", None
    if counted and not counted[0].load.closed:
        return ("user-load" if counted[0].load.user_load else "fixed-rate"), None
    late = sum(cell.status == "overloaded" for cell in ran)
    if late:
        return "overloaded", f"did not keep up in {late} of {len(ran)} cells"
    reasons = Counter(cell.reason for cell in ran if cell.reason)
    reason = reasons.most_common(1)[0][0] if reasons else "no round is complete"
    if counted:
        reason = f"only {len(counted)} of its cells count, too few for an interval; {reason}"
    failed = any(cell.status == "failed" for cell in ran)
    return ("failed" if failed else "invalid"), reason


def so_far(ran: Sequence[Cell], unit: str) -> str:
    """Return a phrase about a contender whose first round is not over."""
    if not ran:
        return "has not run here yet"
    reasons = [cell.reason for cell in ran if cell.reason]
    why = reasons[-1] if reasons else "its first round is not over"
    rate = median(cell.throughput for cell in ran)
    return why if rate is None else f"{why}; {rate:,.0f} {unit}/s so far"


class Limit(NamedTuple):
    """The limit of a contender other than the party under test, and in how many cells it was."""

    who: str
    cells: int


def limited(counted: Sequence[Cell], party: str) -> Limit | None:
    """Return the commonest limit of these cells other than `party`; None where it was `party`."""
    if not not_the_limit(counted, party):
        return None
    found = Counter(_limit(cell) for cell in counted if cell.limit != party)
    return Limit(*found.most_common(1)[0])


def not_the_limit(counted: Sequence[Cell], party: str) -> bool:
    """Return whether `party` was not the only limit that was seen in half of the cells."""
    filled = [cell for cell in counted if cell.load.closed]
    elsewhere = sum(cell.limit != party for cell in filled)
    return bool(filled) and 2 * elsewhere >= len(filled)


def most_often_saturated(counted: Sequence[Cell]) -> str | None:
    """Return who was saturated most often: a party, "nobody", or None where that is unknown."""
    found = Counter(cell.limit for cell in counted)
    return found.most_common(1)[0][0] if found else None


def _limit(cell: Cell) -> str:
    """Return the limit of a cell that the party under test did not limit."""
    text = who_was_saturated(cell.limit)
    return text if cell.limit else f"{text}: {_unknown(cell)}"


def _unknown(cell: Cell) -> str:
    """Return why it is not known who was saturated; the oldest races saved no reason."""
    return cell.saturated_unknown or "the saved cells do not say why"


def trust(race: SavedRace, comparisons: Sequence[Comparison], counted: Sequence[Cell]) -> Trust:
    """Return the damage, the disturbances and the warnings of a race."""
    cells = Counter(str(cell.status) for cell in race.cells if cell.round != CALIBRATION)
    used = [value for cell in counted if (value := utilisation(cell)) is not None]
    return Trust(
        cells={"counted": len(counted), **cells},
        problems=[str(problem) for problem in race.problems],
        steal=spread(cell.steal for cell in counted),
        foreign=spread(cell.foreign for cell in counted),
        little=sum(abs(value - 1) > race.head.limits.little for value in used),
        warnings=[*_warnings(race, comparisons, counted), *_self_doubts(comparisons)],
        no_result=_no_result(race, comparisons),
    )


def _no_result(race: SavedRace, comparisons: Sequence[Comparison]) -> str | None:
    """Return why there is no result, and what to do, if the machine spoiled over half of the cells
    and nothing was decided.
    """
    limits = race.head.limits
    last = latest_cells(race)
    invalid = [cell for cell in last if cell.status == "invalid"]
    foreign = [cell.foreign for cell in invalid if (cell.foreign or 0.0) > limits.foreign]
    steal = [cell.steal for cell in invalid if (cell.steal or 0.0) > limits.steal]
    lost = max(len(foreign), len(steal))
    if 2 * lost <= len(last) or any(comparison.decided for comparison in comparisons):
        return None
    if len(foreign) == lost:
        return (
            f"No result: other programs took {100 * (median(foreign) or 0.0):.0f} % of the cores. "
            "End them (`top` shows them) and run again, or accept the noise with "
            "`--set limits.foreign=1`."
        )
    return (
        f"No result: the host took {100 * (median(steal) or 0.0):.0f} % of the cores. Run again at "
        "a quieter time or on another machine, or accept the noise with `--set limits.steal=1`."
    )


def _warnings(
    race: SavedRace, comparisons: Sequence[Comparison], counted: Sequence[Cell]
) -> Iterator[str]:
    """Yield what a reader should know before believing the figures, one sentence each."""
    if race.head.finished_at is None:
        yield "The race was not finished: it has fewer rounds than planned."
    if race.problems:
        yield f"{len(race.problems)} damaged line(s) of the results were left out."
    ranked = [comparison for comparison in comparisons if comparison.ranked]
    short = [comparison for comparison in ranked if not comparison.enough]
    if short:
        most = max(comparison.rounds for comparison in short)
        where = "Of the closed loop " if any(comparison.rated for comparison in comparisons) else ""
        yield (
            f"{where}{most} round{'s' * (most != 1)} cannot give a 95 % interval, so no winner is "
            f"declared; {signed_rank.rounds_needed()} rounds can."
        )
    for comparison in ranked:
        if comparison.enough and not comparison.decided:
            yield (
                f"On {comparison.title} ({comparison.load}) too few rounds count of both A/A twins "
                "for a margin: no winner is declared there."
            )
    if ranked and not any(contender.aa for contender in race.head.contenders):
        who = race.head.discipline.contender
        yield f"No {who} ran twice (A/A), so the margin is 3 % without a noise floor."
    yield from _unknown_limits(race, counted)


def _unknown_limits(race: SavedRace, counted: Sequence[Cell]) -> Iterator[str]:
    """Yield in how many cells it is not known who was saturated, and why."""
    filled = [cell for cell in counted if cell.load.closed]
    reasons = Counter(_unknown(cell) for cell in filled if cell.saturated is None)
    if reasons:
        kind, cells = race.head.discipline, f"{reasons.total():,} of {len(filled):,} cells"
        yield (
            f"Who was saturated is not known in {cells} ({'; '.join(reasons)}): {kind.unit}/s may "
            f"be a lower bound there, and {a(kind.contender)} is not ranked if that is half of its "
            "cells."
        )


def _self_doubts(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Yield where an A/A twin differs from its original."""
    for comparison in comparisons:
        where, who = f"{comparison.title} ({comparison.load})", a(comparison.discipline.contender)
        doubted = [one for one in comparison.twins if _differs(one.estimate)]
        for noise in doubted if comparison.ranked else ():
            yield (
                f"On {where} {who} differs from itself: {noise.estimate}. "
                "Distrust small differences there."
            )


def _differs(noise: Estimate) -> bool:
    return noise.bounded and (noise.low > LEAST_MARGIN or noise.high < -LEAST_MARGIN)
