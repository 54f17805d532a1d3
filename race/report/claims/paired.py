"""Everything that saved cells say of one pair on one task, for `race claim`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from race.analysis.merge import MergedPair, interval_text
from race.analysis.model import ContenderResult, plain
from race.analysis.pairing import Pairing, Run, pairing
from race.console import Console
from race.report import format as words
from race.report.claims.measures import UNRANKED, verdict
from race.report.claims.pairs import comparisons, pair
from race.report.console import drawn, say
from race.report.sentences import rule
from race.report.table import PLAIN, TEXT, Column, ReportTable, as_above, fill
from race.report.tables import values
from race.report.tables.values import RATE, RATIO, SATURATED


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

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON with ratios instead of logs."""
        runs = [
            {
                "run": one.run,
                "ratio": plain(one.ratio),
                "cpu_ratio": plain(one.cpu),
                "cpu_verdict": one.cpu_verdict,
                "verdict": one.verdict,
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
    loads = dict.fromkeys(comparison.load for _, comparison in each)
    merged = pair(runs, task, first, second)
    subject = shlex.join(["+".join(names), task, first, second])
    return Paired(
        task=task,
        load="; ".join(loads),
        runs=[pairing(run, comparison, first, second) for run, comparison in each],
        merged=merged,
        claim=f"<!-- claim: {subject} = {merged.ratio or UNRANKED} -->",
    )


def _facts(item: ContenderResult) -> dict[str, Any]:
    names = ("label", "state", "reason", "ranks", "saturated", "busy", "cells", "ran", "rounds")
    return {name: getattr(item, name) for name in names}


def show(found: Paired) -> None:
    """Print the ratios and the two contenders to the terminal, then how they were judged."""
    console, merged = Console(), found.merged
    title = f"{found.runs[0].comparison.title}, {found.load}"
    say(console, f"{title}: {merged.first} against {merged.second}", style="bold")
    console.print(drawn(_ratios(found), ""))
    console.print(drawn(_contenders(found), ""))
    for one in found.runs:
        say(console, f"{one.run}: {rule(one.comparison)}")
    if len(found.runs) > 1:
        say(console, f"The interval over all runs is {interval_text(len(found.runs))}.")
    say(console, found.claim)


def _ratios(found: Paired) -> ReportTable:
    """Return the ratio in each run, and over all of them where there are several."""
    rows: list[tuple[str, Pairing | MergedPair]] = [(one.run, one) for one in found.runs]
    if len(rows) > 1:
        rows.append((f"all {len(rows)} runs", found.merged))
    columns = (
        Column("run", lambda row: row[0], TEXT),
        Column("ratio [95 %]", lambda row: row[1].ratio or UNRANKED, RATIO),
        Column("CPU time [95 %]", lambda row: row[1].cpu, RATIO),
        Column("verdict", lambda row: verdict(row[1]), TEXT),
    )
    return fill("", columns, rows)


def _contenders(found: Paired) -> ReportTable:
    """Return what was measured of both in each run."""
    rows = [(one, item) for one in found.runs for item in (one.first, one.second)]
    comparison = found.runs[0].comparison
    discipline = comparison.discipline
    columns = (
        Column("run", lambda row: row[0].run, TEXT),
        Column(discipline.contender, lambda row: row[1].label, TEXT),
        Column(f"{discipline.unit}/s", lambda row: values.rate(row[1]), RATE),
        Column(
            "saturated",
            lambda row: values.saturated(row[0].comparison, row[1]),
            SATURATED,
            brief=comparison.party,
        ),
        Column("cells", lambda row: words.counted(row[1]), PLAIN),
        Column("rounds", lambda row: row[1].rounds, PLAIN),
    )
    return as_above(fill("", columns, rows), range(1))
