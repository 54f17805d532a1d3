"""How far a race can be trusted, and why a contender has no rank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from race.analysis.model import Contest, State, Trust, spread
from race.analysis.values import a, median, utilisation
from race.saved.model import CALIBRATION, NOBODY, Cell
from race.saved.reader import SavedRace
from race.stats import signed_rank
from race.stats.estimate import Estimate
from race.stats.noise import LEAST_MARGIN


def state(
    ran: Sequence[Cell], counted: Sequence[Cell], ranked: bool, party: str
) -> tuple[State, str | None]:
    """Why a contender has the place it has, with the commonest reason when it has none.

    `ran` are all its cells of one work, `counted` those that count; `party` is the one under test.
    """
    if not_the_limit(counted, party):
        return "at-least", _limit(counted, party)
    if ranked:
        return "ranked", None
    if counted and counted[0].load.rate is not None:
        return "fixed-rate", None
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
    """What is known of a contender whose first round is not over, in a phrase."""
    if not ran:
        return "has not run here yet"
    reasons = [cell.reason for cell in ran if cell.reason]
    why = reasons[-1] if reasons else "its first round is not over"
    rate = median(cell.throughput for cell in ran)
    return why if rate is None else f"{why}; {rate:,.0f} {unit}/s so far"


def not_the_limit(counted: Sequence[Cell], party: str) -> bool:
    """Whether something else than `party` limited at least half of these closed-loop cells.

    Cells that do not know who was full speak for nothing else.
    """
    closed = [cell for cell in counted if cell.load.rate is None]
    elsewhere = sum(cell.full not in (None, party) for cell in closed)
    return bool(closed) and 2 * elsewhere >= len(closed)


def most_often_full(counted: Sequence[Cell]) -> str | None:
    """Whose core was full in most cells: a party, "nobody", or None where that is not known."""
    found = Counter(who for cell in counted if (who := cell.full) is not None)
    return found.most_common(1)[0][0] if found else None


def _limit(counted: Sequence[Cell], party: str) -> str:
    found = Counter(cell.full for cell in counted if cell.full not in (None, party))
    who, cells = found.most_common(1)[0]
    was = "no core was full" if who == NOBODY else f"the {who} was full"
    return f"{was} in {cells} of {len(counted)} cells: this is a lower bound"


def trust(race: SavedRace, contests: Sequence[Contest], counted: Sequence[Cell]) -> Trust:
    """What was left out, what disturbed the race, and what to know before believing it."""
    cells = Counter(str(cell.status) for cell in race.cells if cell.round != CALIBRATION)
    used = [value for cell in counted if (value := utilisation(cell)) is not None]
    return Trust(
        cells={"counted": len(counted), **cells},
        rejected=[f"round {item.round}: {item.reason}" for item in race.head.rejected],
        problems=[str(problem) for problem in race.problems],
        steal=spread(cell.steal for cell in counted),
        foreign=spread(cell.foreign for cell in counted),
        little=sum(abs(value - 1) > race.head.limits.little for value in used),
        warnings=[*_warnings(race, contests, counted), *_self_doubts(contests)],
    )


def _warnings(
    race: SavedRace, contests: Sequence[Contest], counted: Sequence[Cell]
) -> Iterator[str]:
    """What a reader should know before believing the figures; one sentence each."""
    if race.head.finished_at is None:
        yield "The race was not finished: it has fewer rounds than planned."
    if race.problems:
        yield f"{len(race.problems)} damaged line(s) of the results were left out."
    ranked = [contest for contest in contests if contest.ranked]
    short = [contest for contest in ranked if not contest.decided]
    if short:
        most = max(contest.rounds for contest in short)
        yield (
            f"{most} round{'s' * (most != 1)} cannot give a 95 % interval, so no winner is "
            f"declared; {signed_rank.rounds_needed()} rounds can."
        )
    if ranked and not any(contender.aa for contender in race.head.contenders):
        who = race.head.discipline.contender
        yield f"No {who} ran twice (A/A), so the margin is 3 % without a noise floor."
    if ranked and _unpinned(race, counted):
        unit = race.head.discipline.unit
        yield (
            f"Nothing was pinned to cores, so who was full is not known: {unit}/s may be a lower "
            "bound."
        )


def _unpinned(race: SavedRace, counted: Sequence[Cell]) -> bool:
    """Whether a closed-loop cell cannot tell its limit because no party had a core of its own."""
    pinned = any(race.head.environment.pinned.values())
    return not pinned and any(cell.full is None for cell in counted if cell.load.rate is None)


def _self_doubts(contests: Sequence[Contest]) -> Iterator[str]:
    """Where the A/A twin differs from its original."""
    for contest in contests:
        noise = contest.noise
        if noise and noise.measured_here and contest.ranked and _differs(noise.estimate):
            where, who = f"{contest.title} ({contest.load})", a(contest.discipline.contender)
            yield (
                f"On {where} {who} differs from itself: {noise.estimate}. "
                "Distrust small differences there."
            )


def _differs(noise: Estimate) -> bool:
    return noise.bounded and (noise.low > LEAST_MARGIN or noise.high < -LEAST_MARGIN)
