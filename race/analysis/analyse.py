"""The analysis of a saved race, which reads nothing but its cells."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from race.analysis import controls, trust, values
from race.analysis.headline import headline
from race.analysis.model import Analysis, Comparison, Noise
from race.analysis.results import ByWork, RaceData, Table, result
from race.analysis.values import Values
from race.saved.model import CALIBRATION, Cell, Contender, Work
from race.saved.reader import SavedRace
from race.stats import effects, noise, ranking, signed_rank
from race.stats.effects import Design, Effect, Factors
from race.stats.processes import Kept

Levels = tuple[tuple[str, str], ...]
"""A contender's factors, each with its level."""


def analyse(race: SavedRace) -> Analysis:
    """Analyse a saved race, which may be unfinished or empty."""
    counted = values.counted(race)
    data = collect(race, counted)
    noises = _noises(data, data.rates, data.kept)
    costs = _noises(data, data.cpu[race.head.discipline.parties[0]], data.cpu_kept)
    comparisons = [
        _comparison(data, work, _noise(work, noises), _noise(work, costs), noises.get(work, ()))
        for work in values.in_order(data.ran, race.head.discipline)
    ]
    ran = {cell.label for cell in race.cells}
    designs = [design for label, design in data.designs.items() if label in ran]
    return Analysis(
        race=race,
        counted=counted,
        rounds=max((comparison.rounds for comparison in comparisons), default=0),
        headline=headline(comparisons, race.head.discipline),
        comparisons=comparisons,
        effects=[(one.work, effect) for one in comparisons for effect in _effects(data, one)],
        unmatched=effects.unmatched(sorted(designs, key=str), race.head.discipline.factors),
        trust=trust.trust(race, comparisons, counted),
    )


def collect(race: SavedRace, counted: list[Cell]) -> RaceData:
    """Return what the steps of an analysis read; `counted` are the cells that count."""
    contenders = {contender.label: contender for contender in race.head.contenders}
    for cell in race.cells:
        contenders.setdefault(cell.label, Contender(label=cell.label, name=cell.label))
    rates, originals = values.values(counted, values.rate), twins(contenders.values())
    parties = race.head.discipline.parties
    p99 = values.values(counted, values.p99_us)
    cpu = {party: values.values(counted, values.cpu_us(party)) for party in parties}
    restart = controls.restart(race.head)
    return RaceData(
        saved=race,
        last=max((cell.round for cell in race.cells), default=CALIBRATION),
        ran=_by_work(cell for cell in race.cells if cell.round != CALIBRATION),
        counted=_by_work(counted),
        rates=rates,
        cpu=cpu,
        kept=controls.kept(rates, originals, restart),
        cpu_kept=controls.kept(cpu[parties[0]], originals, restart),
        p99=p99,
        p99_kept=controls.kept(p99, originals, restart),
        contenders=contenders,
        twins=originals,
        designs=_designs(contenders.values(), race.head.discipline.factors),
    )


def _by_work(cells: Iterable[Cell]) -> ByWork:
    found: ByWork = defaultdict(lambda: defaultdict(list))
    for cell in cells:
        found[cell.work][cell.label].append(cell)
    return {work: dict(by_label) for work, by_label in found.items()}


def twins(contenders: Iterable[Contender]) -> dict[str, str]:
    """Return the A/A twin's label to its original's.

    In a race of one contender against itself there is no twin: the noise floor would come from the
    very pair that is judged, which could never exceed it.
    """
    contenders = list(contenders)
    plain = {_kind(one): one.label for one in contenders if not one.aa}
    if len(plain) < 2:
        return {}
    pairs = {one.label: plain.get(_kind(one)) for one in contenders if one.aa}
    return {twin: original for twin, original in pairs.items() if original is not None}


def _designs(contenders: Iterable[Contender], factors: Factors) -> dict[str, Design]:
    """Return the factors of contenders that factors distinguish, by label.

    Two names with the same factors, such as two programs, differ in something that no factor
    describes: neither is distinguishable.
    """
    described = [one for one in contenders if one.described]
    names: dict[Levels, set[str]] = defaultdict(set)
    for one in described:
        names[_levels(one)].add(one.name)
    alone = [one for one in described if len(names[_levels(one)]) == 1]
    return effects.comparable({one.label: one.factors for one in alone}, factors)


def _kind(contender: Contender) -> tuple[str, Levels]:
    """Return what two contenders that are the same have in common."""
    return contender.name, _levels(contender)


def _levels(contender: Contender) -> Levels:
    return tuple(sorted(contender.factors.items()))


def _noises(
    race: RaceData, figures: Values, keep: Mapping[Work, Kept]
) -> dict[Work, tuple[Noise, ...]]:
    """Estimate each A/A twin against its original wherever both ran."""
    found: dict[Work, tuple[Noise, ...]] = {}
    for work, by_label in figures.items():
        for twin, original in race.twins.items():
            logs = by_label.get(twin, {}), by_label.get(original, {})
            floor = noise.noise_floor(*logs, keep[work])
            if floor is not None:
                found[work] = (*found.get(work, ()), Noise(twin, floor, measured_here=True))
    return found


def _noise(work: Work, noises: Mapping[Work, tuple[Noise, ...]]) -> Noise | None:
    """Return this work's own noise floor, that of the twin with the widest, or the race's largest
    where no twin has one here.
    """
    if work in noises:
        return _widest(noises[work])
    if not noises:
        return None
    worst = _widest([one for each in noises.values() for one in each])
    return Noise(worst.twin, worst.estimate, measured_here=False)


def _widest(noises: Sequence[Noise]) -> Noise:
    return max(noises, key=lambda one: one.estimate.bound)


def _margin(floor: Noise | None) -> float:
    return float(noise.margin(floor.estimate.bound if floor else 0.0))


def _comparison(
    race: RaceData,
    work: Work,
    floor: Noise | None,
    cost: Noise | None,
    twins: tuple[Noise, ...],
) -> Comparison:
    head = race.saved.head
    kind = head.discipline
    ignored = kind.ignores.get(work.task, ())
    same = controls.groups(race.distinguishable, ignored, kind.level_texts)
    keep = race.kept.get(work, Kept())
    table = _table(race, work, _margin(floor), _margin(cost), same)
    cells = chain.from_iterable((race.counted.get(work) or race.ran[work]).values())
    used = [cell.connections_used or work.load.connections for cell in cells]
    return Comparison(
        work=work,
        connections=(min(used), max(used)),
        discipline=head.discipline,
        designs=race.designs,
        baseline=head.baseline,
        reference=table.reference,
        rounds=max((len(logs) for logs in table.rates.values()), default=0),
        noise=floor,
        twins=twins,
        controls=controls.controls(race.own(work), same, keep) if work.load.closed else None,
        kept=keep,
        cpu_kept=table.cpu_kept,
        p99_kept=race.p99_kept.get(work, Kept()),
        margin=_margin(floor),
        cpu_margin=table.cpu_margin,
        little=head.limits.little,
        results=[result(race, table, label) for label in _in_order(race, table)],
        pairs=table.ranking.pairs,
    )


def _table(
    race: RaceData, work: Work, margin: float, cpu_margin: float, same: controls.Groups
) -> Table:
    """Rank the contenders whose rate is their own.

    At a fixed rate everyone serves what is offered, under a user load what the users ask for, and
    where the party under test was not the limit, the rate is a lower bound, which can only beat
    others. A contender with too few rounds for an interval, where others have enough, would be
    undecided against everybody.
    """
    rates = race.own(work)
    party = race.saved.head.discipline.parties[0]
    cells = race.counted.get(work, {})
    bounds = frozenset(label for label in rates if trust.not_the_limit(cells.get(label, ()), party))
    needed = signed_rank.rounds_needed()
    least = needed if max(map(len, rates.values()), default=0) >= needed else 0
    free = {
        label: logs for label, logs in rates.items() if label not in bounds and len(logs) >= least
    }
    keep = race.kept.get(work, Kept())
    above = {label: rates[label] for label in sorted(bounds) if len(rates[label]) >= least}
    found = (free, above) if work.load.closed else ({}, {})
    ranked = ranking.rank(found[0], margin, same, keep, found[1])
    baseline = race.saved.head.baseline
    slowest = ranked.places[-1].label if ranked.places else min(rates, default=None)
    waits = baseline in race.contenders and race.waits(work, baseline)
    reference = baseline if waits or baseline in rates else slowest
    cpu_kept = race.cpu_kept.get(work, Kept())
    return Table(work, keep, cpu_kept, cpu_margin, rates, ranked, reference, bounds)


def _in_order(race: RaceData, table: Table) -> list[str]:
    """Return labels: the ranked ones, those without a rank by their mean rate, and last those that
    did not run.
    """
    labels = [place.label for place in table.ranking.places]
    expected = [label for label in race.contenders if race.waits(table.work, label)]
    lacking = [label for label in race.contenders if race.lacks(table.work, label) is not None]
    everyone = dict.fromkeys([*race.ran[table.work], *expected, *lacking])
    others = [label for label in everyone if label not in labels and label not in race.twins]

    def mean(label: str) -> float:
        logs = table.rates.get(label, {})
        return math.fsum(logs.values()) / len(logs) if logs else 0.0

    return labels + sorted(others, key=lambda label: -mean(label))


def _effects(race: RaceData, comparison: Comparison) -> list[Effect]:
    """Estimate the effects on a work; there are none without a ranking."""
    designs = {
        item.label: item.factors
        for item in comparison.results
        if item.state == "ranked" and item.label in comparison.designs
    }
    rates = race.rates.get(comparison.work, {})
    kind = race.saved.head.discipline
    ignored = kind.ignores.get(comparison.work.task, ())
    if not comparison.ranked:
        return []
    margin, keep = comparison.margin, comparison.kept
    return effects.effects(rates, designs, kind.factors, margin, ignored, keep)
