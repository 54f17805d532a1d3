"""One contender's result at one work."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from race.analysis import values
from race.analysis.model import ContenderResult, spread
from race.analysis.trust import limited, most_often_saturated, so_far, state
from race.analysis.values import Values, median
from race.saved.model import Cell, Contender, Figures, Work
from race.saved.reader import SavedRace
from race.stats import histogram
from race.stats.effects import Design
from race.stats.estimate import Estimate
from race.stats.processes import Kept, RoundValues, log_ratios
from race.stats.ranking import Ranking, find_pair
from race.stats.verdict import verdict

PERCENTILES = (50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 100.0)
ByWork = dict[Work, dict[str, list[Cell]]]
"""The cells of each work and contender's label."""


@dataclass(frozen=True, slots=True)
class RaceData:
    """The cells of a race, those that count, and their values; `last` is the last round.

    `kept` is what processes keep of rates, `cpu_kept` of the CPU time of the party under test,
    `p99_kept` of the p99 at fixed rates.
    `designs` are the factors of contenders that factors distinguish (`effects.comparable`).
    """

    saved: SavedRace
    last: int
    ran: ByWork
    counted: ByWork
    rates: Values
    cpu: dict[str, Values]
    kept: dict[Work, Kept]
    cpu_kept: dict[Work, Kept]
    p99: Values
    p99_kept: dict[Work, Kept]
    contenders: dict[str, Contender]
    twins: dict[str, str]
    designs: dict[str, Design]

    @property
    def originals(self) -> list[Contender]:
        """The contenders that are no A/A twins."""
        return [one for label, one in self.contenders.items() if label not in self.twins]

    @property
    def distinguishable(self) -> list[Contender]:
        """The originals that factors distinguish."""
        return [one for one in self.originals if one.label in self.designs]

    def own(self, work: Work) -> dict[str, RoundValues]:
        """Return the rates of all but A/A twins, by label."""
        rates = self.rates.get(work, {})
        return {label: logs for label, logs in rates.items() if label not in self.twins}

    def lacks(self, work: Work, label: str) -> str | None:
        """Return why a contender cannot do the task of a work; None where it can."""
        return self.saved.head.unsupported.get(label, {}).get(work.task)

    def waits(self, work: Work, label: str) -> bool:
        """Return whether the race goes on and a contender's first round of a work is not over.

        A fixed rate is known only once it is offered.
        """
        ran = self.ran.get(work, {}).get(label, [])
        over = self.saved.head.finished_at is not None or self.lacks(work, label) is not None
        if over or not (ran or work.load.rate is None):
            return False
        return all(cell.round >= self.last and cell.status != "failed" for cell in ran)


@dataclass(frozen=True, slots=True)
class Table:
    """The ranking on one work; `bounds` are the labels whose rate is a lower bound.

    `kept` and `cpu_kept` are what processes keep of rates and of CPU time; ratios of the latter
    must exceed `cpu_margin` (log scale).
    """

    work: Work
    kept: Kept
    cpu_kept: Kept
    cpu_margin: float
    rates: Mapping[str, RoundValues]
    ranking: Ranking
    reference: str | None
    bounds: frozenset[str]


def result(race: RaceData, table: Table, label: str) -> ContenderResult:
    """Return the result of a contender, with the reason when it has no rank."""
    contender, work = race.contenders[label], table.work
    discipline = race.saved.head.discipline
    ran = race.ran[work].get(label, [])
    cells = race.counted.get(work, {}).get(label, [])
    place = next((place for place in table.ranking.places if place.label == label), None)
    party = discipline.parties[0]
    why, reason = state(ran, cells, place is not None, party)
    if lacks := race.lacks(work, label):
        why, reason = "unsupported", lacks
    elif why == "invalid" and race.waits(work, label):
        why, reason = "waiting", so_far(ran, discipline.unit)
    limit = limited(cells, party)
    merged = histogram.merge(cell.histogram for cell in cells)
    rates = table.rates.get(label, {})
    bounded = bool(table.bounds & {label, table.reference})
    cpu = _ratio(race.cpu[party], table, label, table.cpu_kept)
    pair = find_pair(table.ranking.pairs, label, table.reference or "")
    return ContenderResult(
        label=label,
        name=contender.name,
        factors=contender.factors,
        state=why,
        reason=reason,
        ranks=place.ranks if place else None,
        beats=place.beats if place else (),
        saturated=most_often_saturated(cells),
        limit=limit.who if limit else None,
        busy=median(cell.metered("busy", party) for cell in cells),
        cells=len(cells),
        ran=len({cell.round for cell in ran}),
        rounds=len(rates),
        throughput=spread(math.exp(log) for log in rates.values()),
        ratio=None if bounded else _ratio(race.rates, table, label, table.kept),
        verdict=pair.verdict if pair else None,
        cpu_us=_cpu_us(race, work, label),
        cpu_ratio=cpu,
        cpu_verdict=verdict(cpu, table.cpu_margin),
        p99_ratio=_ratio(race.p99, table, label, race.p99_kept.get(work, Kept())),
        latency_us=_percentiles(merged),
        histogram=merged,
        utilisation=median(values.utilisation(cell) for cell in cells),
        facts=_medians(cell.facts for cell in cells),
        meters={
            meter: _medians(cell.meters.get(meter, {}) for cell in cells)
            for meter in dict.fromkeys(name for cell in cells for name in cell.meters)
        },
    )


def _ratio(found: Values, table: Table, label: str, kept: Kept) -> Estimate | None:
    if table.reference is None or label == table.reference:
        return None
    by_label = found.get(table.work, {})
    return kept.estimate(log_ratios(by_label.get(label, {}), by_label.get(table.reference, {})))


def _cpu_us(race: RaceData, work: Work, label: str) -> dict[str, float]:
    """Return the median over rounds for each party."""
    found = {
        party: spread(math.exp(log) for log in by_work.get(work, {}).get(label, {}).values())
        for party, by_work in race.cpu.items()
    }
    return {party: one.median for party, one in found.items() if one}


def _percentiles(merged: list[tuple[float, int]]) -> dict[str, float]:
    found = {f"p{percent:g}": histogram.percentile(merged, percent) for percent in PERCENTILES}
    return {name: value for name, value in found.items() if value is not None}


def _medians(found: Iterable[Figures]) -> dict[str, float]:
    """Return the median of each figure over the cells that have it."""
    collected: dict[str, list[float]] = defaultdict(list)
    for figures in found:
        for name, value in figures.items():
            collected[name].append(value)
    return {
        name: middle for name, all_ in collected.items() if (middle := median(all_)) is not None
    }
