"""The claims of an article against saved races: one row for each comparison, with its verdict."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from race.analysis.pairing import Run
from race.analysis.user_loads import REQUESTS
from race.report import format as words
from race.report.claims.article import Article, Claim, Question
from race.report.claims.evidence import (
    counted,
    failures,
    figure,
    measured,
    missing,
    of_user_load,
)
from race.report.claims.measures import MEAN
from race.report.claims.pairs import Side, Sides
from race.report.claims.scenario import unlike
from race.report.claims.verdicts import (
    HOLDS,
    REFUTED,
    SHOWN,
    UNDECIDED,
    UNMEASURED,
    VERDICTS,
    WEAKER,
    judged,
)
from race.stats.estimate import Estimate

Runs = Mapping[str, Sequence[Run]]
"""Runs by the name of their scenario."""


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A claim on one task, or on the mean of several: in `runs`, `first` over `second` on `task`,
    or over itself on the task `against`; empty texts where nothing can be compared.

    `ratio` is None where there is none, and a lower bound with `bound`. `users` marks a ratio of
    what users asked for. A `figure` of the first alone, found by a `measure`, replaces the ratio
    where that is no ratio. `why` is what the verdict alone does not say, `differs` what is
    otherwise here than in other rows. A `whole` row sums up a claim of all its rows.
    """

    number: str
    claim: str
    said: str
    verdict: str
    why: str
    runs: str = ""
    task: str = ""
    first: str = ""
    second: str = ""
    against: str = ""
    ratio: Estimate | None = None
    differs: str = ""
    bound: bool = False
    users: bool = False
    whole: bool = False
    measure: str = ""
    figure: str = ""

    @property
    def title(self) -> str:
        """The claim with its number."""
        return f"{self.number} {self.claim}".strip()

    @property
    def measured(self) -> str:
        """The words with which `race claim` finds the same ratio."""
        if not self.first:
            return self.task
        if self.measure:
            name, *more = shlex.split(self.measure)
            return shlex.join([name, self.runs, self.task, self.first, *more])
        if self.against:
            return shlex.join(["tasks-ratio", self.runs, self.task, self.against, self.first])
        pair = [self.runs, self.task, self.first, self.second]
        if self.users:
            return shlex.join(["user-load", *pair, REQUESTS])
        return shlex.join(["least-ratio", *pair] if self.bound else pair)

    @property
    def ratio_text(self) -> str:
        """The ratio with its interval, ≥ marks a lower bound; or the figure."""
        if self.ratio is None:
            return self.figure or words.NONE
        return f"≥ {self.ratio}" if self.bound else str(self.ratio)


class Found(NamedTuple):
    """The answer to one question on the tasks of one row."""

    verdict: str
    why: str
    ratio: Estimate | None = None
    bound: bool = False
    figure: str = ""


def rows(article: Article, runs: Runs) -> list[ClaimRow]:
    """Return the rows of every claim of an article, in its order."""
    return [row for claim in article.claims for row in _rows(claim, runs)]


def _rows(claim: Claim, runs: Runs) -> list[ClaimRow]:
    if claim.untested:
        return [ClaimRow(claim.number, claim.text, claim.said, UNMEASURED, claim.untested)]
    found = [
        _row(claim, question, tasks, runs.get(question.race, ()))
        for question in claim.here
        for tasks in question.rows()
    ]
    return [_whole(claim, found), *found] if claim.every else found


def _row(claim: Claim, question: Question, tasks: tuple[str, ...], runs: Sequence[Run]) -> ClaimRow:
    others = (question.against,) if question.against else tasks
    second = Side(others, question.second or question.first)
    sides = Sides(runs, Side(tasks, question.first), second)
    found = _found(claim, question, sides)
    return ClaimRow(
        number=claim.number,
        claim=claim.text,
        said=question.said or claim.said,
        verdict=found.verdict,
        why=found.why,
        runs=MEAN.join(run.name for run in runs) or question.race,
        task=MEAN.join(tasks),
        first=question.first,
        second=question.second,
        against=question.against,
        ratio=found.ratio,
        differs=question.differs or claim.differs,
        bound=found.bound,
        users=found.ratio is not None and of_user_load(sides),
        measure=question.measure,
        figure=found.figure,
    )


def _found(claim: Claim, question: Question, sides: Sides) -> Found:
    runs = sides.runs
    no_run = "" if runs else f"no run of {question.race}"
    if unusable := next(filter(None, map(unlike, runs)), no_run):
        return Found(UNMEASURED, unusable)
    if question.fails and (failed := failures(sides)):
        return Found(HOLDS if len(failed) == len(runs) else UNDECIDED, failed[0])
    if reason := next(missing(sides), ""):
        return Found(UNMEASURED, reason)
    if question.measure:
        text, why = figure(sides, question.measure)
        return Found(SHOWN, why, figure=text)
    found = measured(sides)
    if question.fails:
        return Found(REFUTED, counted(sides), found.ratio, found.bound)
    verdict, why = judged(claim.of(question), found)
    why = "; ".join(filter(None, (why, found.note)))
    return Found(verdict, why, found.ratio, found.bound)


def _whole(claim: Claim, found: Sequence[ClaimRow]) -> ClaimRow:
    """Return the row of a claim of all its rows: all must hold, and one is enough against it."""
    number = Counter(row.verdict for row in found)
    verdict = UNDECIDED
    if number[HOLDS] == len(found):
        verdict = HOLDS
    elif number[REFUTED] + number[WEAKER]:
        verdict = REFUTED
    elif number[UNMEASURED] == len(found):
        verdict = UNMEASURED
    where = f"all of {words.plural(len(found), 'row')}"
    why = "" if verdict == UNMEASURED else ", ".join(f"{n} “{one}”" for one, n in ordered(number))
    return ClaimRow(claim.number, claim.text, claim.said, verdict, why, task=where, whole=True)


def ordered(number: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return the verdicts that were given, in the order of `VERDICTS`, with how often each was."""
    return [(one, number[one]) for one in VERDICTS if number.get(one)]
