"""The small judgements of an analysis: why a contender has no rank, what the race's sentence is,
how far it can be trusted."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence

from race.analysis.model import Contest, Headline, Spread, State, Validity
from race.analysis.values import Key
from race.plan import scenario
from race.saved.reader import Cell, Run
from race.stats import little, signed_rank
from race.stats.estimate import Estimate

LITTLE_TOLERANCE = scenario.Validity().little
"""How far from 1 `little.utilisation` may be before the report says so."""


def spread(logs: Iterable[float]) -> Spread | None:
    """Back from logs; None without any."""
    found = sorted(math.exp(value) for value in logs)
    return Spread(statistics.median(found), found[0], found[-1]) if found else None


def median(numbers: Iterable[float | None]) -> float | None:
    found = [number for number in numbers if number is not None]
    return statistics.median(found) if found else None


def utilisation(cell: Cell) -> float | None:
    """`little.utilisation` of a closed-loop cell; None for an open loop or without a mean."""
    mean, busy = cell.latency_us.get("mean"), cell.busy_connections
    if cell.load.rate is not None or mean is None or busy is None or not cell.seconds:
        return None
    connections = cell.connections_used or cell.load.connections
    return little.utilisation(busy, connections, mean, cell.seconds)


def state(
    run: Run, key: Key, label: str, counted: Sequence[Cell], ranked: bool
) -> tuple[State, str | None]:
    """Why a contender has the place it has, with the commonest reason when it has none."""
    if any(cell.generator_bound for cell in counted):
        return "generator-bound", "the load generator was at its limit: this is a lower bound"
    if ranked:
        return "ranked", None
    if counted and key.load.rate is not None:
        return "fixed-rate", None
    ran = [c for c in run.cells if c.label == label and Key(c.page, c.load) == key]
    late = sum(cell.status == "overloaded" for cell in ran)
    if late:
        return "overloaded", f"did not keep up in {late} of {len(ran)} cells"
    reasons = Counter(cell.reason for cell in ran if cell.reason)
    reason = reasons.most_common(1)[0][0] if reasons else "no round is complete"
    failed = any(cell.status == "failed" for cell in ran)
    return ("failed" if failed else "invalid"), reason


def headline(contests: Sequence[Contest]) -> Headline | None:
    """Best against baseline on Good where it ran, else on the first page that has a ranking."""
    ranked = [contest for contest in contests if contest.ranked]
    ranked.sort(key=lambda contest: (contest.key.page != "good", contest.key.load.pipeline))
    for contest in ranked:
        best, *others = [item.label for item in contest.standings if item.state == "ranked"]
        other = contest.reference if contest.reference in others else others[0]
        pair = next((p for p in contest.pairs if {p.first, p.second} == {best, other}), None)
        if pair is not None:
            estimate = pair.estimate if pair.first == best else pair.estimate.reversed()
            return Headline(best, other, contest.key.page, estimate, pair.winner == best)
    return None


def validity(run: Run, contests: Sequence[Contest], counted: Sequence[Cell]) -> Validity:
    cells = Counter(str(cell.status) for cell in run.cells)
    used = [value for cell in counted if (value := utilisation(cell)) is not None]
    return Validity(
        cells={"counted": len(counted), **cells},
        rejected=[f"round {item.round}: {item.reason}" for item in run.head.rejected],
        problems=[str(problem) for problem in run.problems],
        steal=_span(cell.steal for cell in counted),
        foreign=_span(cell.foreign for cell in counted),
        little=sum(abs(value - 1) > LITTLE_TOLERANCE for value in used),
        warnings=warnings(run, contests),
    )


def _span(numbers: Iterable[float | None]) -> Spread | None:
    found = sorted(number for number in numbers if number is not None)
    return Spread(statistics.median(found), found[0], found[-1]) if found else None


def warnings(run: Run, contests: Sequence[Contest]) -> list[str]:
    """What a reader should know before believing the figures; one sentence each."""
    found = []
    if run.head.finished_at is None:
        found.append("The race was not finished: it has fewer rounds than planned.")
    if run.problems:
        found.append(f"{len(run.problems)} damaged line(s) of the results were left out.")
    ranked = [contest for contest in contests if contest.ranked]
    short = [contest for contest in ranked if not contest.decided]
    if short:
        most = max(contest.rounds for contest in short)
        found.append(
            f"{most} round{'s' * (most != 1)} cannot give a 95 % interval, so no winner is "
            f"declared; {signed_rank.rounds_needed()} rounds can."
        )
    twins = [contender for contender in run.head.contenders if contender.aa]
    if ranked and not twins:
        found.append("No engine ran twice (A/A), so the margin is 3 % without a noise floor.")
    for contest in contests:
        noise = contest.noise
        if noise and noise.measured_here and contest.ranked and _differs(noise.estimate):
            found.append(
                f"On {contest.title} ({contest.key.load.describe()}) an engine differs from itself:"
                f" {noise.estimate}. Distrust small differences there."
            )
    return found


def _differs(noise: Estimate) -> bool:
    return noise.bounded and (noise.low > math.log(1.03) or noise.high < -math.log(1.03))
