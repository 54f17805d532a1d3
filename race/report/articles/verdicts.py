"""A claim against saved races: what was measured, and whether it still holds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from race.analysis import crowds, values
from race.analysis.merge import between
from race.analysis.model import Contest, Standing
from race.analysis.pairing import Run
from race.analysis.values import Values
from race.report.articles.claimed import Article, Claim, Question, Range
from race.report.measures import contests, pair, task_word
from race.stats import noise, ranking, signed_rank
from race.stats.estimate import Estimate
from race.stats.noise import LEAST_MARGIN, Rounds

Runs = Mapping[str, Sequence[Run]]
"""By the name of their scenario."""

HOLDS, MORE, WEAKER, REVERSED = "holds", "holds, by more", "weaker", "reversed"
DIFFERENT, UNDECIDED = "does not hold", "undecided"
UNTESTED, UNMEASURED = "cannot be tested here", "not measured yet"
VERDICTS = {
    HOLDS: "the interval reaches what was claimed, and the first is declared the winner; where two "
    "were claimed to be equal, they cannot be told apart",
    MORE: "the whole interval lies above what was claimed",
    WEAKER: "the whole interval lies below what was claimed, and the second is no winner",
    REVERSED: "the second is declared the winner",
    DIFFERENT: "two that were claimed to be equal can be told apart",
    UNDECIDED: "the interval reaches what was claimed, and no winner can be declared",
    UNTESTED: "for the reason given",
    UNMEASURED: "no saved run has it",
}
"""Every verdict, and when it is given."""


@dataclass(frozen=True, slots=True)
class Row:
    """A claim on one task, or on the mean of several. `measured` says who, where and in which race;
    `ratio` is None where nothing was measured; `why` is what the verdict alone does not say.
    """

    claim: str
    said: str
    measured: str
    ratio: Estimate | None
    verdict: str
    why: str
    differs: str


class Measured(NamedTuple):
    """A ratio, and who won: 1 the first, -1 the second, 0 neither; `note` is what else to know."""

    ratio: Estimate | None
    winner: int
    note: str = ""


class Side(NamedTuple):
    """A contender on tasks."""

    tasks: tuple[str, ...]
    label: str


Sides = tuple[Side, Side]


def rows(article: Article, runs: Runs) -> list[Row]:
    """Every claim of an article, in its order."""
    return [row for claim in article.claims for row in _rows(article, claim, runs)]


def _rows(article: Article, claim: Claim, runs: Runs) -> Iterator[Row]:
    if claim.untested:
        yield Row(claim.text, claim.said, "", None, UNTESTED, claim.untested, "")
    for question in claim.here:
        known = runs.get(question.race, ())
        for tasks in question.rows():
            sides = _sides(question, tasks)
            ratio, verdict, why = _found(question.ratio or claim.ratio, question, sides, known)
            yield Row(
                claim=claim.text,
                said=question.said or claim.said,
                measured=_told(question, sides, known),
                ratio=ratio,
                verdict=verdict,
                why=why,
                differs=_joined(question.differs or claim.differs, article.differs),
            )


def _sides(question: Question, tasks: tuple[str, ...]) -> Sides:
    others = (question.against,) if question.against else tasks
    return Side(tasks, question.first), Side(others, question.second or question.first)


def _found(
    claimed: Range, question: Question, sides: Sides, runs: Sequence[Run]
) -> tuple[Estimate | None, str, str]:
    """The ratio, the verdict, and why."""
    if not runs:
        return None, UNMEASURED, f"no run of {question.race}"
    if lacking := next(_lacking(runs, sides), None):
        return None, UNMEASURED, lacking
    found = _measured(runs, question, sides)
    verdict, why = judged(claimed, found)
    return found.ratio, verdict, _joined(why, found.note)


def judged(claimed: Range, found: Measured) -> tuple[str, str]:
    """The verdict on a ratio that was claimed, and what else is to be said."""
    if found.ratio is None:
        return UNTESTED, ""
    if not found.ratio.bounded:
        return UNDECIDED, "too few rounds for an interval"
    if claimed[1] == 1:
        return (DIFFERENT if found.winner else HOLDS), ""
    return _of_the_faster(claimed, found.ratio, found.winner)


def _of_the_faster(claimed: Range, ratio: Estimate, winner: int) -> tuple[str, str]:
    least, most = (math.log(one) for one in claimed)
    if winner < 0:
        return REVERSED, ""
    if ratio.high < least:
        return WEAKER, "" if winner else "they cannot be told apart"
    if not winner:
        return UNDECIDED, ""
    return (MORE if ratio.low > most else HOLDS), ""


def _lacking(runs: Sequence[Run], sides: Sides) -> Iterator[str]:
    """What was not raced, in words."""
    for run in runs:
        known = {task_word(one.work): one for one in run.analysis.contests}
        for side in sides:
            for task in side.tasks:
                if task not in known:
                    yield f"{task} was not raced in {run.name}"
                elif side.label not in {item.label for item in known[task].standings}:
                    yield f"{side.label} did not run on {task} in {run.name}"


def _measured(runs: Sequence[Run], question: Question, sides: Sides) -> Measured:
    """Two contenders on one task as the core compares them, whatever else by the rounds' means."""
    first, second = sides
    if question.second and len(first.tasks) == 1:
        (task,) = first.tasks
        if contests(runs, task)[0].work.load.crowd:
            return _crowd(runs, task, first.label, second.label)
        whole = pair(runs, task, first.label, second.label)
        if whole.ratio is not None:
            won = {first.label: 1, second.label: -1}
            return Measured(whole.ratio, won[whole.winner] if whole.winner else 0)
    elif not _limits(runs, sides):
        ratio = _ratio(runs, sides, _rates)
        return Measured(ratio, _winner(runs, sides, ratio))
    return _by_cpu(runs, sides)


def _by_cpu(runs: Sequence[Run], sides: Sides) -> Measured:
    """Where a rate is a lower bound CPU time speaks: the second's over the first's."""
    limits = "; ".join(_limits(runs, sides)) or "their rates have no round in common"
    cpu = _ratio(runs, sides, lambda run: run.cpu)
    if cpu is None:
        return Measured(None, 0, limits)
    ratio = cpu.reversed()
    return Measured(ratio, _winner(runs, sides, ratio), f"of CPU time, since {limits}")


def _crowd(runs: Sequence[Run], task: str, first: str, second: str) -> Measured:
    """Users bound what is asked: how much of it went well is compared, by the least margin."""
    each = zip(runs, contests(runs, task), strict=True)
    ratio = between(
        [crowds.ratio(run.analysis, one.work, crowds.COUNT, first, second) for run, one in each]
    )
    return Measured(ratio, ranking.winner(ratio, LEAST_MARGIN) if ratio else 0)


def _ratio(runs: Sequence[Run], sides: Sides, measure: Callable[[Run], Values]) -> Estimate | None:
    """Of the mean logs of both sides in the rounds that have all of them; None without any."""
    found = []
    for run in runs:
        first, second = (_means(run, side, measure(run)) for side in sides)
        ratios = noise.log_ratios(first, second)
        found.append(signed_rank.hodges_lehmann(ratios) if ratios else None)
    return between(found)


def _means(run: Run, side: Side, found: Values) -> Rounds:
    """The geometric mean over the tasks, as a log for each round."""
    works = [contest.work for contest in _contests(run, side)]
    logs = [found.get(work, {}).get(side.label, {}) for work in works]
    common = set(logs[0]).intersection(*logs[1:])
    return {number: fmean(one[number] for one in logs) for number in common}


def _rates(run: Run) -> Values:
    return values.values(run.analysis.counted, values.rate)


def _winner(runs: Sequence[Run], sides: Sides, ratio: Estimate | None) -> int:
    """By the widest margin of any task and run. One contender against itself is one process: what
    processes differ by tells nothing apart there.
    """
    if ratio is None:
        return 0
    if sides[0].label == sides[1].label:
        return ranking.winner(ratio, LEAST_MARGIN)
    margins = [one.margin for run in runs for side in sides for one in _contests(run, side)]
    known = [margin for margin in margins if math.isfinite(margin)]
    return ranking.winner(ratio, max(known, default=math.inf))


def _limits(runs: Sequence[Run], sides: Sides) -> list[str]:
    """Who has no rate of its own to be compared by, and why."""
    found = dict.fromkeys(
        f"{item.label} on {contest.place}: {item.reason}"
        for run in runs
        for side in sides
        for contest in _contests(run, side)
        for item in contest.standings
        if item.label == side.label and _limited(item)
    )
    return list(found)


def _limited(item: Standing) -> bool:
    return item.state not in ("ranked", "crowd")


def _contests(run: Run, side: Side) -> list[Contest]:
    return [contests([run], task)[0] for task in side.tasks]


def _told(question: Question, sides: Sides, runs: Sequence[Run]) -> str:
    """Who, on what, in which race: "a over b on Good (article)"."""
    first, second = (_places(side, runs) for side in sides)
    where = f"the mean of {first}" if question.mean else first
    if question.against:
        return f"{question.first}: {where} over {second} ({question.race})"
    return f"{question.first} over {question.second}: {where} ({question.race})"


def _places(side: Side, runs: Sequence[Run]) -> str:
    """Tasks as people read them, where a run is there that says how."""
    known = {task_word(one.work): one for run in runs for one in run.analysis.contests}
    places = [known[task].place if task in known else task for task in side.tasks]
    *most, last = places
    return f"{'; '.join(most)} and {last}" if most else last


def _joined(*texts: str) -> str:
    return "; ".join(filter(None, texts))
