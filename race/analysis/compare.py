"""Two saved runs side by side, and whether the second is slower: a gate for CI.

Rounds of two runs are not pairs, so each contender's rounds are compared as two samples (exact rank
sum). What the machine did between the runs cannot be told from what the code did; the shift that
all contenders share is therefore shown, and `relative` takes it out.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from race.analysis.analyse import Analysis, analyse
from race.analysis.differences import differences
from race.analysis.model import Contest, Standing, plain
from race.analysis.trust import median
from race.analysis.values import Key, Values, counted, cpu_us, rate, values
from race.saved.model import JSON
from race.saved.reader import Run, load
from race.stats import holm, rank_sum, signed_rank
from race.stats.estimate import Estimate

LOST = ("failed", "overloaded")
Verdict = Literal["slower", "faster", "same", "fails now", "works now", "gone", "new", "undecided"]


@dataclass(frozen=True, slots=True)
class Change:
    """One contender on one page under one load, in both runs.

    `estimate` is the second run over the first: of requests/s, or at a fixed rate of requests per
    CPU second, so that more is always better. `limit` is what a change has to exceed, log scale.
    """

    key: Key
    label: str
    measure: str
    old: float | None
    new: float | None
    estimate: Estimate | None
    p_holm: float | None
    limit: float
    verdict: Verdict

    @property
    def regression(self) -> bool:
        return self.verdict in ("slower", "fails now")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs; `common` is the shift that contenders share (log scale), `threshold` a fraction."""

    old: str
    new: str
    threshold: float | None
    relative: bool
    common: float | None
    changes: list[Change]
    warnings: list[str]

    @property
    def regressions(self) -> list[Change]:
        return [change for change in self.changes if change.regression]

    @property
    def decided(self) -> bool:
        """Whether any change could have been seen at all."""
        blind = ("undecided", "new", "gone")
        return any(change.verdict not in blind for change in self.changes)

    def as_json(self) -> JSON:
        common = None if self.common is None else math.exp(self.common)
        data: JSON = plain(replace(self, common=common))
        return {**data, "regressions": len(self.regressions), "decided": self.decided}


def compare(
    old: Run, new: Run, threshold: float | None = None, relative: bool = False
) -> Comparison:
    """Compare two runs contender by contender.

    A change counts when its 95 % interval lies beyond the largest of 3 %, the A/A bounds of both
    runs, and `threshold` (a fraction: 0.05 is 5 %). `relative` divides each run by the mean of its
    contenders on the page, for runs on machines of different speed.
    """
    analyses = (analyse(old), analyse(new))
    measured = tuple(_measured(run, relative) for run in (old, new))
    found = [_contests(analysis) for analysis in analyses]
    changes: list[Change] = []
    for key in sorted({*found[0], *found[1]}, key=lambda key: key.order):
        changes += _page(key, (found[0].get(key), found[1].get(key)), measured, threshold or 0.0)
    return Comparison(
        old=old.head.run,
        new=new.head.run,
        threshold=threshold,
        relative=relative,
        common=median(change.estimate.value for change in changes if change.estimate),
        changes=changes,
        warnings=[*differences(old.head, new.head), *_doubts(changes, relative)],
    )


def _contests(analysis: Analysis) -> dict[Key, Contest]:
    return {contest.key: contest for contest in analysis.contests}


def _measured(run: Run, relative: bool) -> Values:
    """Rates of the closed loop; at a fixed rate, requests per CPU microsecond of the server."""
    cells = counted(run)
    rates, cpu = values(cells, rate), values(cells, cpu_us("server"))
    found: Values = {}
    for key in {**rates, **cpu}:
        if key.load.rate is None:
            found[key] = rates.get(key, {})
        else:
            found[key] = {
                label: {number: -log for number, log in logs.items()}
                for label, logs in cpu.get(key, {}).items()
            }
    return {key: _without_mean(logs) for key, logs in found.items()} if relative else found


def _without_mean(logs: Mapping[str, dict[int, float]]) -> dict[str, dict[int, float]]:
    """Each round relative to the mean of all contenders, over rounds that all of them have."""
    shared = set.intersection(*(set(rounds) for rounds in logs.values())) if logs else set()
    means = {number: math.fsum(r[number] for r in logs.values()) / len(logs) for number in shared}
    return {
        label: {number: rounds[number] - means[number] for number in sorted(shared)}
        for label, rounds in logs.items()
    }


def _page(
    key: Key,
    contests: tuple[Contest | None, Contest | None],
    measured: tuple[Values, ...],
    threshold: float,
) -> list[Change]:
    """Both runs' contenders on one page; p-values are adjusted over the page."""
    standings = tuple({s.label: s for s in c.standings} if c else {} for c in contests)
    margins = [contest.margin for contest in contests if contest]
    limit = max(*margins, -math.log1p(-threshold), math.log(1.03))
    tested: dict[str, tuple[Estimate, float]] = {}
    for label in standings[0].keys() & standings[1].keys():
        old, new = (list(run.get(key, {}).get(label, {}).values()) for run in measured)
        if old and new:
            tested[label] = rank_sum.shift(old, new), rank_sum.p_value(old, new)
    adjusted = dict(zip(tested, holm.adjust([p for _, p in tested.values()]), strict=True))
    return [
        _change(key, label, (standings[0].get(label), standings[1].get(label)),
                tested[label][0] if label in tested else None, adjusted.get(label), limit)
        for label in dict.fromkeys([*standings[0], *standings[1]])
    ]  # fmt: skip


def _change(
    key: Key,
    label: str,
    standings: tuple[Standing | None, Standing | None],
    estimate: Estimate | None,
    p_holm: float | None,
    limit: float,
) -> Change:
    closed = key.load.rate is None
    old, new = (_figure(standing, closed) if standing else None for standing in standings)
    verdict = _verdict(standings, estimate, limit)
    measure = "requests/s" if closed else "CPU µs/request"
    return Change(key, label, measure, old, new, estimate, p_holm, limit, verdict)


def _figure(standing: Standing, closed: bool) -> float | None:
    if closed:
        return standing.rps.median if standing.rps else None
    return standing.cpu_us.get("server")


def _verdict(
    standings: tuple[Standing | None, Standing | None], estimate: Estimate | None, limit: float
) -> Verdict:
    old, new = standings
    if old is None or new is None:
        return "new" if old is None else "gone"
    if new.state in LOST and old.rps:
        return "fails now"
    if old.state in LOST and new.rps:
        return "works now"
    bound = "generator-bound" in (old.state, new.state)
    if estimate is None or bound or not estimate.bounded or math.isinf(limit):
        return "undecided"
    if estimate.high < -limit:
        return "slower"
    return "faster" if estimate.low > limit else "same"


def _doubts(changes: list[Change], relative: bool) -> list[str]:
    """What weakens the comparison itself."""
    found = []
    seen = [change.estimate for change in changes if change.estimate]
    if not seen:
        found.append("The runs have no cell in common: nothing is compared.")
    elif all(change.verdict == "undecided" for change in changes if change.estimate):
        found.append(
            f"No change could be seen: a comparison takes 4 rounds in each run, its noise floor 5, "
            f"a ranking {signed_rank.rounds_needed()}."
        )
    moved = [estimate.value for estimate in seen]
    together = sum(math.copysign(1, value) for value in moved)
    if not relative and len(moved) > 2 and abs(together) == len(moved):
        shift = median(moved) or 0.0
        if abs(shift) > math.log(1.03):
            found.append(
                f"Every contender moved the same way, by {100 * math.expm1(shift):+.0f} % on the "
                "middle: a change of the machine looks just like this."
            )
    return found


def main(before: Path, after: Path, options: argparse.Namespace) -> int:
    """`race compare`: print, write what was asked for; the exit code of the gate.

    0 without `--fail-if-slower` or when nothing is slower by that much, 1 on a regression that the
    intervals support, 2 when the runs have too little in common to decide anything.
    """
    from race.report import comparison as report

    relative = bool(getattr(options, "relative", False))
    found = compare(load(before), load(after), options.fail_if_slower, relative)
    if options.markdown:
        options.markdown.write_text(report.markdown(found), encoding="utf-8")
    if options.html:
        options.html.write_text(report.html(found), encoding="utf-8")
    if options.json:
        print(json.dumps(found.as_json()))
    else:
        report.show(found)
    if options.fail_if_slower is None:
        return 0
    return 1 if found.regressions else 0 if found.decided else 2
