"""A claim against saved races, row by row: what was measured, and whether it still holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from race.analysis.pairing import Run
from race.report import format as words
from race.report.articles.claimed import Article, Claim, Question
from race.report.articles.measured import Side, Sides, counted, failures, lacking, measured
from race.report.articles.unlike import unlike
from race.report.articles.verdicts import (
    DIFFERENT,
    HOLDS,
    MORE,
    REVERSED,
    UNDECIDED,
    UNMEASURED,
    UNTESTED,
    VERDICTS,
    WEAKER,
    judged,
)
from race.report.measures import task_word
from race.stats.estimate import Estimate

KEPT = (HOLDS, MORE)
"""Verdicts of a claim that is true here."""
Runs = Mapping[str, Sequence[Run]]
"""By the name of their scenario."""


@dataclass(frozen=True, slots=True)
class Row:
    """A claim on one task, or on the mean of several. `measured` says who, where and in which race;
    `ratio` is None where there is none, and at least that where it is a `bound`; `why` is what the
    verdict alone does not say. `whole` is the row of a claim of all its rows.
    """

    claim: str
    said: str
    measured: str
    ratio: Estimate | None
    verdict: str
    why: str
    differs: str
    bound: bool = False
    whole: bool = False

    @property
    def ratio_text(self) -> str:
        """The ratio with its interval; a lower bound is marked."""
        if self.ratio is None:
            return words.NONE
        return f"≥ {self.ratio}" if self.bound else str(self.ratio)


class Found(NamedTuple):
    """What became of one question on the tasks of one row."""

    verdict: str
    why: str
    ratio: Estimate | None = None
    bound: bool = False


def rows(article: Article, runs: Runs) -> list[Row]:
    """Every claim of an article, in its order."""
    return [row for claim in article.claims for row in _rows(article, claim, runs)]


def _rows(article: Article, claim: Claim, runs: Runs) -> list[Row]:
    if claim.untested:
        return [Row(claim.text, claim.said, "", None, UNTESTED, claim.untested, "")]
    found = [
        _row(article, claim, question, tasks, runs.get(question.race, ()))
        for question in claim.here
        for tasks in question.rows()
    ]
    return [_whole(claim, found), *found] if claim.every else found


def _row(
    article: Article,
    claim: Claim,
    question: Question,
    tasks: tuple[str, ...],
    runs: Sequence[Run],
) -> Row:
    sides = _sides(question, tasks)
    found = _found(claim, question, sides, runs)
    return Row(
        claim=claim.text,
        said=question.said or claim.said,
        measured=_told(question, sides, runs),
        ratio=found.ratio,
        verdict=found.verdict,
        why=found.why,
        differs=_joined(question.differs or claim.differs, article.differs),
        bound=found.bound,
    )


def _sides(question: Question, tasks: tuple[str, ...]) -> Sides:
    others = (question.against,) if question.against else tasks
    return Side(tasks, question.first), Side(others, question.second or question.first)


def _found(claim: Claim, question: Question, sides: Sides, runs: Sequence[Run]) -> Found:
    if not runs:
        return Found(UNMEASURED, f"no run of {question.race}")
    if other := next(filter(None, map(unlike, runs)), ""):
        return Found(UNMEASURED, other)
    if question.fails and (failed := failures(runs, sides[0])):
        return Found(HOLDS, failed[0]) if len(failed) == len(runs) else Found(UNDECIDED, failed[0])
    if reason := next(lacking(runs, sides), None):
        return Found(*reason)
    found = measured(runs, sides)
    if question.fails:
        return Found(DIFFERENT, counted(runs, sides[0]), found.ratio, found.bound)
    verdict, why = judged(claim.of(question), found)
    return Found(verdict, _joined(why, found.note), found.ratio, found.bound)


def _whole(claim: Claim, found: Sequence[Row]) -> Row:
    """A claim of all its rows: one that says otherwise is enough against it, and all must hold."""
    number = Counter(row.verdict for row in found)
    verdict = UNDECIDED
    if sum(number[one] for one in KEPT) == len(found):
        verdict = HOLDS
    elif number[REVERSED] + number[DIFFERENT] + number[WEAKER]:
        verdict = DIFFERENT
    elif number[UNMEASURED] + number[UNTESTED] == len(found):
        verdict = UNMEASURED
    told = [f"{number[one]} “{one}”" for one in VERDICTS if number[one] and one not in KEPT]
    why = f"it holds in {sum(number[one] for one in KEPT)} of {words.plural(len(found), 'row')}"
    why = "" if verdict == UNMEASURED else ", ".join([why, *told])
    where = f"all of {words.plural(len(found), 'row')}"
    return Row(claim.text, claim.said, where, None, verdict, why, "", whole=True)


def _told(question: Question, sides: Sides, runs: Sequence[Run]) -> str:
    """Who, on what, in which race: "a over b on Good (article)"."""
    first, second = (_places(side, runs) for side in sides)
    where = f"the mean of {first}" if question.mean else first
    if question.against:
        return f"{question.first}: {where} over {second} ({question.race})"
    return f"{question.first} over {question.second}: {where} ({question.race})"


def _places(side: Side, runs: Sequence[Run]) -> str:
    """Tasks as people read them, where a run is there that says how."""
    known = {task_word(one.work): one for run in runs for one in run.analysis.comparisons}
    places = [known[task].place if task in known else task for task in side.tasks]
    *most, last = places
    return f"{'; '.join(most)} and {last}" if most else last


def _joined(*texts: str) -> str:
    return "; ".join(filter(None, texts))
