"""Several runs of one scenario as one result.

The interval of one run is about that hour; another hour has another state of the machine, of the
memory's layout, of the databases. Over three runs or more, the interval has the spread between runs
in it (`stats.random_effects`). Two runs allow no such interval; then the smallest one that contains
each run's own is given, and named so.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from statistics import fmean
from typing import Any

from race.analysis.differences import connections, differences, whatever_connections
from race.analysis.model import UNWRITTEN, Comparison, Spread, plain, spread
from race.analysis.pairing import Pairing, Run, pairing
from race.errors import RaceError
from race.saved.head import Head
from race.saved.model import Discipline, Work
from race.saved.reader import SavedRace
from race.stats import noise, random_effects, ranking, signed_rank
from race.stats.estimate import Estimate
from race.stats.verdict import Verdict, verdict


@dataclass(frozen=True, slots=True)
class MergedPair:
    """Two contenders over all runs: ratio of units/s and of CPU time, each run's own and between.

    `ratios` and `cpus` are by run, None where a run has none; `ratio` and `cpu` are None unless
    every run has one. Their `n` counts runs, not rounds. `verdict` is on `ratio`, `cpu_verdict` on
    `cpu`.
    """

    first: str
    second: str
    ratios: tuple[Estimate | None, ...]
    ratio: Estimate | None
    cpus: tuple[Estimate | None, ...]
    cpu: Estimate | None
    cpu_verdict: Verdict
    verdict: Verdict
    winner: str | None


@dataclass(frozen=True, slots=True)
class MergedComparison:
    """One work over all runs; `noise` spreads the A/A twin's ratio (not its log) over runs."""

    work: Work
    comparisons: tuple[Comparison, ...] = field(metadata=UNWRITTEN)
    labels: tuple[str, ...]
    reference: str | None
    margin: float
    noise: Spread | None
    pairs: list[MergedPair]

    def pair(self, first: str, second: str) -> MergedPair | None:
        """Return the pair of two contenders, turned so that `first` comes first."""
        for one in self.pairs:
            if (one.first, one.second) == (first, second):
                return one
            if (one.second, one.first) == (first, second):
                return _turned(one)
        return None

    @property
    def margin_percent(self) -> float:
        """The margin over the runs, in percent."""
        return 100 * math.expm1(self.margin)


@dataclass(frozen=True, slots=True)
class Merged:
    """Runs of one scenario, by name in the order of their start."""

    runs: tuple[str, ...]
    discipline: Discipline = field(metadata=UNWRITTEN)
    warnings: list[str]
    comparisons: list[MergedComparison]

    @property
    def interval(self) -> str:
        """The kind of the interval between runs, in a phrase."""
        return interval_text(len(self.runs))

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON with ratios instead of logs."""
        data: dict[str, Any] = plain(self)
        return {**data, "interval": self.interval}


def interval_text(runs: int) -> str:
    """Return the kind of interval that `between` gives for so many runs."""
    if runs >= random_effects.FEWEST:
        return "the 95 % interval with the spread between runs (Hartung and Knapp)"
    return "the smallest interval that contains each run’s own"


def merge(races: Sequence[SavedRace]) -> Merged:
    """Merge saved races; RaceError when they are not runs of one scenario."""
    ordered = sorted(races, key=lambda race: race.head.started_at)
    heads = [race.head for race in ordered]
    same_scenario(heads)
    unlike = {
        work: text for race in ordered[1:] for work, text in connections(ordered[0], race).items()
    }
    runs = [Run.of(race) for race in ordered]
    every = [one.work for one in runs[0].analysis.comparisons]
    works = [work for work in every if whatever_connections(work) not in unlike]
    if unlike and not works:
        raise RaceError(f"nothing can be merged: {next(iter(unlike.values()))}")
    return Merged(
        runs=tuple(run.name for run in runs),
        discipline=heads[0].discipline,
        warnings=[*(f"Not merged: {text}." for text in unlike.values()), *_warnings(ordered)],
        comparisons=[one for work in works if (one := merged(runs, work))],
    )


def same_scenario(heads: Sequence[Head]) -> None:
    """Raise RaceError with one reason unless these are different runs of one scenario."""
    if len({head.race for head in heads}) < len(heads):
        raise RaceError("a run is named twice: give each run once")
    for head in heads[1:]:
        if reason := next(_incompatible(heads[0], head), None):
            raise RaceError(f"{heads[0].race} and {head.race} cannot be merged: {reason}")


def merged(runs: Sequence[Run], work: Work) -> MergedComparison | None:
    """Merge one work over runs; None unless it ran in all of them."""
    comparisons = [comparison for run in runs if (comparison := run.comparison(work))]
    if len(comparisons) < len(runs):
        return None
    labels = [item.label for item in comparisons[0].results]
    common = [label for label in labels if all(one.result(label) for one in comparisons)]
    pairs = [merged_pair(runs, comparisons, *two) for two in combinations(common, 2)]
    return MergedComparison(
        work=work,
        comparisons=tuple(comparisons),
        labels=tuple(common),
        reference=_commonest(comparisons),
        margin=margin(comparisons),
        noise=_noise(comparisons),
        pairs=pairs,
    )


def merged_pair(
    runs: Sequence[Run], comparisons: Sequence[Comparison], first: str, second: str
) -> MergedPair:
    """Merge two contenders by label; RaceError when one of them did not run."""
    found = [
        pairing(run, comparison, first, second)
        for run, comparison in zip(runs, comparisons, strict=True)
    ]
    ratios, cpus = tuple(one.ratio for one in found), tuple(one.cpu for one in found)
    ratio, cpu = between(ratios), between(cpus)
    decided = _cpu_verdict(found, cpu), *_decided(found, ratio)
    return MergedPair(first, second, ratios, ratio, cpus, cpu, *decided)


def between(estimates: Sequence[Estimate | None]) -> Estimate | None:
    """Merge runs' estimates into one whose `n` is the number of runs; None unless all have one.

    Two runs have the mean and the smallest interval that contains each run's own, infinite when one
    is; more have that of `random_effects`.
    """
    known = [one for one in estimates if one is not None]
    if not known or len(known) < len(estimates):
        return None
    if len(known) >= random_effects.FEWEST:
        return random_effects.combined(known)
    low, high = min(one.low for one in known), max(one.high for one in known)
    return Estimate(fmean(one.value for one in known), low, high, len(known))


def _decided(found: Sequence[Pairing], ratio: Estimate | None) -> tuple[Verdict, str | None]:
    """Return the verdict and the winner that two runs both give, or that more runs give together.

    Controls never win, as in one run.
    """
    if len(found) < random_effects.FEWEST:
        each = {(one.verdict, one.winner) for one in found}
        return each.pop() if len(each) == 1 else (Verdict.UNDECIDED, None)
    first, second = found[0].first.label, found[0].second.label
    comparisons = [one.comparison for one in found]
    alike = any(one.controls and one.controls.hold(first, second) for one in comparisons)
    decided, won = ranking.decided(ratio, margin(comparisons), alike)
    return decided, {1: first, -1: second}.get(won)


def _cpu_verdict(found: Sequence[Pairing], cpu: Estimate | None) -> Verdict:
    """Return the verdict on CPU time that two runs both give, or that more runs give together."""
    if len(found) < random_effects.FEWEST:
        each = {(one.cpu_verdict, one.cpu is not None and one.cpu.value > 0) for one in found}
        return found[0].cpu_verdict if len(each) == 1 else Verdict.UNDECIDED
    return verdict(cpu, cpu_margin([one.comparison for one in found]))


def margin(comparisons: Sequence[Comparison]) -> float:
    """Return the margin of one work over runs.

    Of three runs or more it follows from the A/A twins of all together, as that of a run does from
    its own, so that more runs decide more. Of two, or where a twin has no interval, it is the
    widest that is known; a run with too few rounds has none.
    """
    twins = [one.noise.estimate for one in comparisons if one.noise and one.noise.measured_here]
    twins = [one for one in twins if one.bounded]
    if len(twins) >= random_effects.FEWEST:
        return float(noise.margin(random_effects.combined(twins, 2 * signed_rank.ALPHA).bound))
    return max((one.margin for one in comparisons if math.isfinite(one.margin)), default=math.inf)


def cpu_margin(comparisons: Sequence[Comparison]) -> float:
    """Return the margin of ratios of CPU time of one work over runs: the widest that is known."""
    known = [one.cpu_margin for one in comparisons if math.isfinite(one.cpu_margin)]
    return max(known, default=math.inf)


def _turned(one: MergedPair) -> MergedPair:
    def turn(estimate: Estimate | None) -> Estimate | None:
        return estimate and estimate.reversed()

    return replace(
        one,
        first=one.second,
        second=one.first,
        ratios=tuple(map(turn, one.ratios)),
        ratio=turn(one.ratio),
        cpus=tuple(map(turn, one.cpus)),
        cpu=turn(one.cpu),
    )


def _commonest(comparisons: Sequence[Comparison]) -> str | None:
    return Counter(comparison.reference for comparison in comparisons).most_common(1)[0][0]


def _noise(comparisons: Sequence[Comparison]) -> Spread | None:
    """Return how the A/A twin's ratio spreads over the runs that measured it here."""
    return spread(
        comparison.noise.estimate.ratio
        for comparison in comparisons
        if comparison.noise and comparison.noise.measured_here
    )


def _unlike_keys(one: Head, two: Head) -> Iterator[str]:
    """Yield the keys of tables in which two scenarios differ."""
    for table, word in (("load", "loads"), ("sizes", "sizes")):
        first, second = (dict(head.scenario.get(table) or {}) for head in (one, two))
        differ = [key for key in sorted({*first, *second}) if first.get(key) != second.get(key)]
        for key in differ:
            yield f"their {word} differ in {key}: {first.get(key)} and {second.get(key)}"


def _incompatible(one: Head, two: Head) -> Iterator[str]:
    """Yield why two runs are not of one scenario, each reason a phrase."""
    compared: dict[str, tuple[Any, Any]] = {
        "disciplines": (one.discipline.name, two.discipline.name),
        "scenarios": (one.scenario.get("name"), two.scenario.get("name")),
        "commits": (one.scenario.get("commits"), two.scenario.get("commits")),
    }
    for what, (mine, theirs) in compared.items():
        if mine != theirs:
            yield f"{what} {mine} and {theirs}"
    yield from _unlike_keys(one, two)
    mine, theirs = ({item.label: item.factors for item in head.contenders} for head in (one, two))
    unshared = sorted(mine.keys() ^ theirs.keys())
    if unshared:
        yield f"not in both: {', '.join(unshared)}"
    for label in sorted(mine.keys() & theirs.keys()):
        if mine[label] != theirs[label]:
            yield f"{label} differs in its factors"


def _warnings(races: Sequence[SavedRace]) -> list[str]:
    """Return what may explain why runs differ."""
    found = []
    heads = [race.head for race in races]
    for race in races[1:]:
        commits = heads[0].environment.commit, race.head.environment.commit
        if commits[0] != commits[1]:
            texts = " and ".join((text or "unknown")[:12] for text in commits)
            found.append(f"Different commits: {texts}.")
        found += differences(heads[0], race.head)
    found += [f"{head.race} was not finished." for head in heads if head.finished_at is None]
    return list(dict.fromkeys(found))
