"""From saved cells to what a race found: rankings, effects, latency, noise.

The saved race is all it reads.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable

from race.analysis import controls, trust, values
from race.analysis.headline import headline
from race.analysis.model import Analysis, Comparison, Noise
from race.analysis.results import ByWork, RaceData, Table, result
from race.saved.model import CALIBRATION, Cell, Contender, Work
from race.saved.reader import SavedRace
from race.stats import effects, noise, ranking, signed_rank
from race.stats.effects import Design, Effect, Factors

Levels = tuple[tuple[str, str], ...]
"""A contender's factors, each with its level."""


def analyse(race: SavedRace) -> Analysis:
    """Analyse a saved race; also an unfinished or an empty one, which then claims less."""
    counted = values.counted(race)
    data = collect(race, counted)
    noises, between = _noises(data), controls.between(data)
    comparisons = [
        _comparison(data, work, _noise(work, noises), between)
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
    """What every step of an analysis looks at; `counted` are the cells that count."""
    contenders = {contender.label: contender for contender in race.head.contenders}
    for cell in race.cells:
        contenders.setdefault(cell.label, Contender(label=cell.label, name=cell.label))
    return RaceData(
        saved=race,
        last=max((cell.round for cell in race.cells), default=CALIBRATION),
        ran=_by_work(cell for cell in race.cells if cell.round != CALIBRATION),
        counted=_by_work(counted),
        rates=values.values(counted, values.rate),
        cpu={
            party: values.values(counted, values.cpu_us(party))
            for party in race.head.discipline.parties
        },
        contenders=contenders,
        twins=_twins(contenders.values()),
        designs=_designs(contenders.values(), race.head.discipline.factors),
    )


def _by_work(cells: Iterable[Cell]) -> ByWork:
    found: ByWork = defaultdict(lambda: defaultdict(list))
    for cell in cells:
        found[cell.work][cell.label].append(cell)
    return {work: dict(by_label) for work, by_label in found.items()}


def _twins(contenders: Iterable[Contender]) -> dict[str, str]:
    """The A/A twin's label to its original's; empty in a race of one contender against itself.

    There the twin is the other contender: a noise floor taken from the very pair that is judged
    could never be exceeded, and the race would prove nothing.
    """
    contenders = list(contenders)
    plain = {_kind(one): one.label for one in contenders if not one.aa}
    if len(plain) < 2:
        return {}
    pairs = {one.label: plain.get(_kind(one)) for one in contenders if one.aa}
    return {twin: original for twin, original in pairs.items() if original is not None}


def _designs(contenders: Iterable[Contender], factors: Factors) -> dict[str, Design]:
    """The factors of those whom factors tell apart, by label.

    Two names with the same factors differ in what no factor says, as two programs do: neither is
    told apart, for nothing says which of them has something of its own.
    """
    described = [one for one in contenders if one.described]
    names: dict[Levels, set[str]] = defaultdict(set)
    for one in described:
        names[_levels(one)].add(one.name)
    alone = [one for one in described if len(names[_levels(one)]) == 1]
    return effects.comparable({one.label: one.factors for one in alone}, factors)


def _kind(contender: Contender) -> tuple[str, Levels]:
    """What two contenders that are the same have in common."""
    return contender.name, _levels(contender)


def _levels(contender: Contender) -> Levels:
    return tuple(sorted(contender.factors.items()))


def _noises(race: RaceData) -> dict[Work, Noise]:
    """The A/A twin against its original, wherever both ran."""
    found = {}
    for work, by_label in race.rates.items():
        for twin, original in race.twins.items():
            floor = noise.noise_floor(by_label.get(twin, {}), by_label.get(original, {}))
            if floor is not None:
                found[work] = Noise(twin, floor, measured_here=True)
    return found


def _noise(work: Work, noises: dict[Work, Noise]) -> Noise | None:
    """This work's own noise floor, or the race's largest where the twin has no number here."""
    if work in noises or not noises:
        return noises.get(work)
    worst = max(noises.values(), key=lambda one: one.estimate.bound)
    return Noise(worst.twin, worst.estimate, measured_here=False)


def _comparison(race: RaceData, work: Work, floor: Noise | None, between: float) -> Comparison:
    head = race.saved.head
    same = controls.groups(race.distinguishable, head.discipline.ignores.get(work.task, ()))
    found = controls.controls(race.own(work), same) if work.load.closed else None
    margin = noise.margin(
        floor.estimate.bound if floor else 0.0, between, found.estimate.value if found else 0.0
    )
    table = _table(race, work, float(margin), same)
    return Comparison(
        work=work,
        discipline=head.discipline,
        designs=race.designs,
        baseline=head.baseline,
        reference=table.reference,
        rounds=max((len(logs) for logs in table.rates.values()), default=0),
        noise=floor,
        controls=found,
        between=between,
        margin=float(margin),
        little=head.limits.little,
        results=[result(race, table, label) for label in _in_order(race, table)],
        pairs=table.ranking.pairs,
    )


def _table(race: RaceData, work: Work, margin: float, same: controls.Groups) -> Table:
    """Ranked are those with a number of their own: at a fixed rate everyone serves what is offered,
    of a user load what its users ask for, and where something else than the party under test was
    the limit, the rate is a lower bound.
    Who has too few rounds for an interval, where others have enough, would tie with everybody.
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
    ranked = ranking.rank(free if work.load.closed else {}, margin, same)
    baseline = race.saved.head.baseline
    slowest = ranked.places[-1].label if ranked.places else min(rates, default=None)
    waits = baseline in race.contenders and race.waits(work, baseline)
    reference = baseline if waits or baseline in rates else slowest
    return Table(work, rates, ranked, reference, bounds)


def _in_order(race: RaceData, table: Table) -> list[str]:
    """Labels, best first; those without a rank by their mean rate, then who has not run yet or has
    nothing for the task.
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
    """What each choice buys here; nothing where there is no ranking."""
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
    return effects.effects(rates, designs, kind.factors, comparison.margin, ignored)
