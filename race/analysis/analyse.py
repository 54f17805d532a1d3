"""From saved cells to what a race found: rankings, effects, latency, noise.

The saved race is all it reads.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping

from race.analysis import trust, values
from race.analysis.headline import headline
from race.analysis.model import Analysis, Contest, Noise
from race.analysis.standing import ByWork, Gathered, Table, standing
from race.saved.model import Cell, Contender, Work
from race.saved.reader import SavedRace
from race.stats import effects, holm, ranking, signed_rank
from race.stats.effects import Effect
from race.stats.ranking import Rounds


def analyse(race: SavedRace) -> Analysis:
    """Analyse a saved race; also an unfinished or an empty one, which then claims less."""
    counted = values.counted(race)
    gathered = _gather(race, counted)
    noises = _noises(gathered)
    contests = [
        _contest(gathered, work, _noise(work, noises))
        for work in values.in_order((cell.work for cell in race.cells), race.head.discipline)
    ]
    ran = [gathered.contenders[label].factors for label in {cell.label for cell in race.cells}]
    return Analysis(
        race=race,
        counted=counted,
        rounds=max((contest.rounds for contest in contests), default=0),
        headline=headline(contests, race.head.discipline),
        contests=contests,
        effects=[(one.work, effect) for one in contests for effect in _effects(gathered, one)],
        unmatched=effects.unmatched(sorted(ran, key=str), race.head.discipline.factors),
        trust=trust.trust(race, contests, counted),
    )


def _gather(race: SavedRace, counted: list[Cell]) -> Gathered:
    contenders = {contender.label: contender for contender in race.head.contenders}
    for cell in race.cells:
        contenders.setdefault(cell.label, Contender(label=cell.label, name=cell.label))
    return Gathered(
        saved=race,
        ran=_by_work(race.cells),
        counted=_by_work(counted),
        rates=values.values(counted, values.rate),
        cpu={
            party: values.values(counted, values.cpu_us(party))
            for party in race.head.discipline.parties
        },
        contenders=contenders,
        twins=_twins(contenders.values()),
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


def _kind(contender: Contender) -> tuple[str, tuple[tuple[str, str], ...]]:
    """What two contenders that are the same have in common."""
    return contender.name, tuple(sorted(contender.factors.items()))


def _noises(race: Gathered) -> dict[Work, Noise]:
    """The A/A twin against its original, wherever both ran."""
    found = {}
    for work, by_label in race.rates.items():
        for twin, original in race.twins.items():
            noise = ranking.noise_floor(by_label.get(twin, {}), by_label.get(original, {}))
            if noise is not None:
                found[work] = Noise(twin, noise, measured_here=True)
    return found


def _noise(work: Work, noises: dict[Work, Noise]) -> Noise | None:
    """This work's own noise floor, or the race's largest where the twin has no number here."""
    if work in noises or not noises:
        return noises.get(work)
    worst = max(noises.values(), key=lambda noise: noise.estimate.bound)
    return Noise(worst.twin, worst.estimate, measured_here=False)


def _contest(race: Gathered, work: Work, noise: Noise | None) -> Contest:
    margin = ranking.margin(noise.estimate if noise else None)
    table = _table(race, work, margin)
    head = race.saved.head
    return Contest(
        work=work,
        discipline=head.discipline,
        reference=table.reference,
        rounds=max((len(logs) for logs in table.rates.values()), default=0),
        comparisons=len(table.p_holm),
        holm_rounds=signed_rank.rounds_needed(len(table.p_holm)),
        noise=noise,
        margin=margin,
        little=head.limits.little,
        standings=[standing(race, table, label) for label in _in_order(race, table)],
        pairs=table.ranking.pairs,
    )


def _table(race: Gathered, work: Work, margin: float) -> Table:
    """Ranked are those with a number of their own: at a fixed rate everyone serves what is offered,
    and a generator-bound contender has a lower bound.
    """
    rates = {
        label: logs for label, logs in race.rates.get(work, {}).items() if label not in race.twins
    }
    cells = race.counted.get(work, {})
    free = {
        label: logs
        for label, logs in rates.items()
        if not any(cell.full == "generator" for cell in cells.get(label, ()))
    }
    ranked = ranking.rank(free if work.load.rate is None else {}, margin)
    baseline = race.saved.head.baseline
    slowest = ranked.places[-1].label if ranked.places else min(rates, default=None)
    reference = baseline if baseline in free else slowest
    return Table(work, rates, ranked, reference, _adjusted(free, reference))


def _adjusted(rates: Mapping[str, Rounds], reference: str | None) -> dict[str, float]:
    """Label to its p against the reference, by Holm over all of them."""
    others = rates.get(reference or "", {})
    found = {
        label: signed_rank.p_value(ratios)
        for label, logs in rates.items()
        if label != reference and (ratios := ranking.log_ratios(logs, others))
    }
    return dict(zip(found, holm.adjust(list(found.values())), strict=True))


def _in_order(race: Gathered, table: Table) -> list[str]:
    """Labels, best first; those without a rank by their mean rate."""
    labels = [place.label for place in table.ranking.places]
    others = [
        label for label in race.ran[table.work] if label not in labels and label not in race.twins
    ]

    def mean(label: str) -> float:
        logs = table.rates.get(label, {})
        return math.fsum(logs.values()) / len(logs) if logs else 0.0

    return labels + sorted(others, key=lambda label: -mean(label))


def _effects(race: Gathered, contest: Contest) -> list[Effect]:
    """What each choice buys here; nothing where there is no ranking."""
    designs = {
        item.label: item.factors
        for item in contest.standings
        if item.state == "ranked" and item.factors
    }
    rates = race.rates.get(contest.work, {})
    factors = race.saved.head.discipline.factors
    return effects.effects(rates, designs, factors, contest.margin) if contest.ranked else []
