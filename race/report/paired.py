"""Everything that saved cells say of one pair on one task, for `race claim`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from race.analysis.merge import MergedPair, interval_text
from race.analysis.model import ContenderResult, plain
from race.analysis.pairing import Pairing, Run, pairing
from race.report import format as words
from race.report.measures import UNRANKED, comparisons, pair, verdict
from race.report.sentences import load, rule


@dataclass(frozen=True, slots=True)
class Paired:
    """Each run by itself, and all of them; `claim` is what a document may say.

    `load` has the connections that were open, of runs that had other ones each by itself.
    """

    task: str
    load: str
    runs: list[Pairing]
    whole: MergedPair
    claim: str

    @property
    def text(self) -> str:
        """Lines for a terminal."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        whole = self.whole
        yield f"{self.runs[0].comparison.title}, {self.load}: {whole.first} against {whole.second}"
        for one in self.runs:
            yield from _run(one)
        if len(self.runs) > 1:
            cpu = f"CPU time {whole.cpu or words.NONE}"
            yield f"all {len(self.runs)} runs: {whole.ratio or UNRANKED}, {cpu}"
            yield f"    interval: {interval_text(len(self.runs))}"
        yield f"verdict: {verdict(whole)}"
        yield self.claim

    def as_json(self) -> dict[str, Any]:
        """Plain JSON with ratios instead of logs."""
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
        return {"task": self.task, "runs": runs, "merged": plain(self.whole), "claim": self.claim}


def paired(names: Sequence[str], runs: Sequence[Run], task: str, first: str, second: str) -> Paired:
    """RaceError where the task or one of the two did not run."""
    each = list(zip(runs, comparisons(runs, task), strict=True))
    loads = dict.fromkeys(load(run.analysis, comparison) for run, comparison in each)
    whole = pair(runs, task, first, second)
    subject = " ".join(_quoted(word) for word in ("+".join(names), task, first, second))
    return Paired(
        task=task,
        load="; ".join(loads),
        runs=[pairing(run, comparison, first, second) for run, comparison in each],
        whole=whole,
        claim=f"<!-- claim: {subject} = {whole.ratio or UNRANKED} -->",
    )


def _run(one: Pairing) -> Iterator[str]:
    comparison = one.comparison
    declared = f"{one.winner} wins" if one.winner else "no winner"
    yield f"run {one.run}: {one.ratio or UNRANKED}, CPU time {one.cpu or words.NONE}, {declared}"
    yield f"    {rule(comparison)}"
    for item in (one.first, one.second):
        rate = f"{words.rate(item)} {comparison.discipline.unit}/s"
        who = f"full: {words.full(comparison, item)}"
        cells = f"{words.counted(item)} cells in {words.plural(item.rounds, 'round')}"
        yield f"    {item.label}: {rate}, {who}, {cells}"


def _facts(item: ContenderResult) -> dict[str, Any]:
    names = ("label", "state", "reason", "ranks", "full", "busy", "cells", "ran", "rounds")
    return {name: getattr(item, name) for name in names}


def _quoted(word: str) -> str:
    return f"'{word}'" if " " in word else word
