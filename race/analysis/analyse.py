"""From saved cells to what a race found: rankings, effects, latency, noise.

The saved `Run` is all it reads.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from race.analysis import model as findings
from race.analysis import trust as judgement
from race.analysis import values as rounds
from race.analysis.model import Contest, EffectOn, Headline, Noise, Standing, Validity
from race.analysis.values import Key, Values
from race.saved.model import JSON
from race.saved.reader import Cell, Contender, Run
from race.stats import effects, histogram, holm, ranking, signed_rank
from race.stats.effects import Unmatched
from race.stats.estimate import Estimate

PERCENTILES = (50.0, 75.0, 90.0, 99.0, 99.9, 100.0)


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything the reports show; `as_json` gives plain JSON with ratios instead of logs."""

    run: str
    baseline: str
    rounds: int
    headline: Headline | None
    contests: list[Contest]
    effects: list[EffectOn]
    unmatched: list[Unmatched]
    validity: Validity

    def as_json(self) -> JSON:
        data: JSON = findings.plain(self)
        return data


@dataclass(frozen=True, slots=True)
class _Race:
    """What every step below looks at."""

    run: Run
    cells: dict[Key, dict[str, list[Cell]]]
    rates: Values
    cpu: dict[str, Values]
    contenders: dict[str, Contender]
    twins: dict[str, str]


def analyse(run: Run) -> Analysis:
    """Analyse a saved run; also an unfinished or an empty one, which then claims less."""
    race = _gather(run)
    noises = _noises(race)
    keys = sorted({Key(cell.page, cell.load) for cell in run.cells}, key=lambda key: key.order)
    contests = [_contest(race, key, noises) for key in keys]
    effect_list = [
        EffectOn(contest.key.page, contest.key.load, effect)
        for contest in contests
        if contest.ranked
        for effect in _effects(race, contest)
    ]
    return Analysis(
        run=run.head.run,
        baseline=run.head.baseline,
        rounds=max((contest.rounds for contest in contests), default=0),
        headline=judgement.headline(contests),
        contests=contests,
        effects=effect_list,
        unmatched=effects.unmatched(_designs(race)),
        validity=judgement.validity(
            run, contests, [cell for cells in _flat(race) for cell in cells]
        ),
    )


def _flat(race: _Race) -> list[list[Cell]]:
    return [cells for by_label in race.cells.values() for cells in by_label.values()]


def _gather(run: Run) -> _Race:
    counted = rounds.counted(run)
    cells: dict[Key, dict[str, list[Cell]]] = defaultdict(lambda: defaultdict(list))
    for cell in counted:
        cells[Key(cell.page, cell.load)][cell.label].append(cell)
    contenders = {contender.label: contender for contender in run.head.contenders}
    for cell in run.cells:
        contenders.setdefault(cell.label, Contender(cell.label, cell.engine, cell.python))
    parts = ("server", "database", "generator")
    cpu = {part: rounds.values(counted, rounds.cpu_us(part)) for part in parts}
    return _Race(
        run, cells, rounds.values(counted, rounds.rate), cpu, contenders, _twins(contenders)
    )


def _twins(contenders: dict[str, Contender]) -> dict[str, str]:
    """The A/A twin's label to its original's; empty in a race of one engine against itself.

    There the twin is the other contender: a noise floor taken from the very pair that is judged
    could never be exceeded, and the race would prove nothing.
    """
    plain = {(c.engine, c.python): c.label for c in contenders.values() if not c.aa}
    if len(plain) < 2:
        return {}
    pairs = {c.label: plain.get((c.engine, c.python)) for c in contenders.values() if c.aa}
    return {twin: original for twin, original in pairs.items() if original is not None}


def _noises(race: _Race) -> dict[Key, Noise]:
    """The A/A twin against its original, wherever both ran."""
    found = {}
    for key, by_label in race.rates.items():
        for twin, original in race.twins.items():
            noise = ranking.noise_floor(by_label.get(twin, {}), by_label.get(original, {}))
            if noise is not None:
                found[key] = Noise(twin, noise, measured_here=True)
    return found


def _noise(key: Key, noises: dict[Key, Noise]) -> Noise | None:
    """This page's own noise floor, or the race's largest where the twin has no number here."""
    if key in noises or not noises:
        return noises.get(key)
    worst = max(noises.values(), key=lambda noise: noise.estimate.bound)
    return Noise(worst.twin, worst.estimate, measured_here=False)


def _contest(race: _Race, key: Key, noises: dict[Key, Noise]) -> Contest:
    noise = _noise(key, noises)
    margin = ranking.margin(noise.estimate if noise else None)
    rates = {label: r for label, r in race.rates.get(key, {}).items() if label not in race.twins}
    bound = {
        label
        for label, cells in race.cells.get(key, {}).items()
        if any(cell.generator_bound for cell in cells)
    }
    ranked = {label: r for label, r in rates.items() if label not in bound}
    # At a fixed rate everyone serves what is offered: there is nothing to rank by.
    table = ranking.rank({} if key.load.rate is not None else ranked, margin)
    reference = _reference(race, rates, bound, table)
    adjusted = _adjusted(ranked, reference)
    labels = [place.label for place in table.places]
    ran = dict.fromkeys(cell.label for cell in race.run.cells if Key(cell.page, cell.load) == key)
    labels += sorted(
        (label for label in ran if label not in labels and label not in race.twins),
        key=lambda label: -sum(rates.get(label, {0: 0.0}).values()) / len(rates.get(label, "1")),
    )
    return Contest(
        key=key,
        reference=reference,
        rounds=max((len(r) for r in rates.values()), default=0),
        comparisons=len(adjusted),
        holm_rounds=signed_rank.rounds_needed(len(adjusted)),
        noise=noise,
        margin=margin,
        standings=[
            _standing(race, key, label, table, reference, adjusted.get(label)) for label in labels
        ],
        pairs=table.pairs,
    )


def _reference(
    race: _Race, rates: dict[str, dict[int, float]], bound: set[str], table: ranking.Ranking
) -> str | None:
    """The baseline where it has a number of its own here, else the slowest that has."""
    baseline = race.run.head.baseline
    if baseline in rates and baseline not in bound:
        return baseline
    return table.places[-1].label if table.places else next(iter(sorted(rates)), None)


def _adjusted(rates: dict[str, dict[int, float]], reference: str | None) -> dict[str, float]:
    """Label to its p against the reference, by Holm over all of them."""
    found = {
        label: signed_rank.p_value(ratios)
        for label, logs in rates.items()
        if label != reference
        and (ratios := ranking.log_ratios(logs, rates.get(reference or "", {})))
    }
    return dict(zip(found, holm.adjust(list(found.values())), strict=True))


def _standing(
    race: _Race,
    key: Key,
    label: str,
    table: ranking.Ranking,
    reference: str | None,
    p_holm: float | None,
) -> Standing:
    contender = race.contenders[label]
    cells = race.cells.get(key, {}).get(label, [])
    place = next((place for place in table.places if place.label == label), None)
    state, reason = judgement.state(race.run, key, label, cells, place is not None)
    logs = race.rates.get(key, {}).get(label, {})
    merged = histogram.merge(cell.histogram for cell in cells)
    return Standing(
        label=label,
        engine=contender.engine,
        python=contender.python,
        state=state,
        reason=reason,
        rank=place.rank if place else None,
        beats=place.beats if place else (),
        rounds=len(logs),
        rps=judgement.spread(logs.values()),
        ratio=_ratio(race.rates, key, label, reference) if state != "generator-bound" else None,
        p_holm=p_holm,
        cpu_us={
            part: spread.median
            for part, by_key in race.cpu.items()
            if (spread := judgement.spread(by_key.get(key, {}).get(label, {}).values()))
        },
        cpu_ratio=_ratio(race.cpu["server"], key, label, reference),
        latency_us=_percentiles(merged),
        histogram=merged,
        utilisation=_utilisation(cells),
        database_requests=judgement.median(cell.database_requests for cell in cells),
        rss_bytes=judgement.median(cell.rss_bytes.get("server") for cell in cells),
    )


def _ratio(found: Values, key: Key, label: str, reference: str | None) -> Estimate | None:
    if reference is None or label == reference:
        return None
    by_label = found.get(key, {})
    ratios = ranking.log_ratios(by_label.get(label, {}), by_label.get(reference, {}))
    return signed_rank.hodges_lehmann(ratios) if ratios else None


def _percentiles(merged: list[tuple[float, int]]) -> dict[str, float]:
    found = {f"p{percent:g}": histogram.percentile(merged, percent) for percent in PERCENTILES}
    return {name: value for name, value in found.items() if value is not None}


def _utilisation(cells: list[Cell]) -> float | None:
    """Median over cells of `little.utilisation`; None for an open loop or without a mean."""
    return judgement.median(judgement.utilisation(cell) for cell in cells)


def _designs(race: _Race) -> list[effects.Design]:
    ran = [race.contenders[label] for label in {cell.label for cell in race.run.cells}]
    found = (effects.design(one.engine, one.python) for one in ran)
    return [one for one in found if one is not None]


def _effects(race: _Race, contest: Contest) -> list[effects.Effect]:
    rates = race.rates.get(contest.key, {})
    designs = {}
    for standing in contest.standings:
        factors = effects.design(standing.engine, standing.python)
        if standing.state == "ranked" and factors is not None:
            designs[standing.label] = factors
    return effects.effects(rates, designs, contest.margin)
