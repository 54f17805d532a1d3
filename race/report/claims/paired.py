"""Everything that saved cells say of one pair on one task, for `race claim`."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from race.analysis.merge import MergedPair, interval_text
from race.analysis.model import ContenderResult, plain
from race.analysis.pairing import Pairing, Run, pairing
from race.report import format as words
from race.report.claims.measures import UNRANKED, verdict
from race.report.claims.pairs import comparisons, pair
from race.report.sentences import load, rule
from race.report.tables.values import saturated


@dataclass(frozen=True, slots=True)
class Paired:
    """A pair in each run, and over all of them; `claim` is the comment that a document may have.

    `load` has the connections that were open; several texts where the runs differ in them.
    """

    task: str
    load: str
    runs: list[Pairing]
    merged: MergedPair
    claim: str

    @property
    def text(self) -> str:
        """Lines for a terminal."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        merged = self.merged
        title = self.runs[0].comparison.title
        yield f"{title}, {self.load}: {merged.first} against {merged.second}"
        for one in self.runs:
            yield from _run(one)
        if len(self.runs) > 1:
            cpu = f"CPU time {merged.cpu or words.NONE}"
            yield f"all {len(self.runs)} runs: {merged.ratio or UNRANKED}, {cpu}"
            yield f"    interval: {interval_text(len(self.runs))}"
        yield f"verdict: {verdict(merged)}"
        yield self.claim

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON with ratios instead of logs."""
        runs = [
            {
                "run": one.run,
                "ratio": plain(one.ratio),
                "cpu_ratio": plain(one.cpu),
                "winner": one.winner,
                "margin_percent": plain(one.comparison.margin_percent),
                "contenders": [_facts(item) for item in (one.first, one.second)],
            }
            for one in self.runs
        ]
        return {"task": self.task, "runs": runs, "merged": plain(self.merged), "claim": self.claim}


def paired(names: Sequence[str], runs: Sequence[Run], task: str, first: str, second: str) -> Paired:
    """Compare two contenders; RaceError where the task or one of the two did not run."""
    each = list(zip(runs, comparisons(runs, task), strict=True))
    loads = dict.fromkeys(load(run.analysis, comparison) for run, comparison in each)
    merged = pair(runs, task, first, second)
    subject = shlex.join(["+".join(names), task, first, second])
    return Paired(
        task=task,
        load="; ".join(loads),
        runs=[pairing(run, comparison, first, second) for run, comparison in each],
        merged=merged,
        claim=f"<!-- claim: {subject} = {merged.ratio or UNRANKED} -->",
    )


def _run(one: Pairing) -> Iterator[str]:
    comparison = one.comparison
    declared = f"{one.winner} wins" if one.winner else "no winner"
    yield f"run {one.run}: {one.ratio or UNRANKED}, CPU time {one.cpu or words.NONE}, {declared}"
    yield f"    {rule(comparison)}"
    for item in (one.first, one.second):
        rate = f"{words.rate(item)} {comparison.discipline.unit}/s"
        who = f"saturated: {saturated(comparison, item)}"
        cells = f"{words.counted(item)} cells in {words.plural(item.rounds, 'round')}"
        yield f"    {item.label}: {rate}, {who}, {cells}"


def _facts(item: ContenderResult) -> dict[str, Any]:
    names = ("label", "state", "reason", "ranks", "saturated", "busy", "cells", "ran", "rounds")
    return {name: getattr(item, name) for name in names}
