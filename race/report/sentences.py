"""What the report says about one comparison: the ranking as rows, the verdict as a sentence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from race.analysis import user_loads
from race.analysis.headline import against
from race.analysis.model import Analysis, Comparison, ContenderResult
from race.analysis.user_loads import UserLoadRatios, UserLoadResult
from race.analysis.values import load_text
from race.report import format as words
from race.saved.model import Work
from race.stats import signed_rank


@dataclass(frozen=True, slots=True)
class Strip:
    """An interval on the comparison's common log scale, in percent of its width."""

    low: float
    point: float
    high: float
    one: float


LOWEST = -9.0
"""A log-ratio below all that are measured."""


def verdict(comparison: Comparison) -> str:
    """Who won, and what sets it apart from the next where that is not one factor."""
    ranked = [item for item in comparison.results if item.state == "ranked"]
    if comparison.rated:
        return "At a fixed rate everyone serves what is offered: there is nothing to rank by."
    if not comparison.closed:
        return "A user load sets its own pace: there is nothing to rank by."
    if len(ranked) < 2:
        return "Fewer than two contenders have a rate of their own here: there is no ranking."
    if not comparison.enough:
        rounds = words.plural(comparison.rounds, "round")
        return (
            f"In the order seen, not ranked: {rounds} cannot give a 95 % interval, "
            f"{signed_rank.rounds_needed()} rounds can."
        )
    if not comparison.decided:
        return "In the order seen, not ranked: too few rounds count of both A/A twins for a margin."
    return _winners(comparison, ranked)


def _winners(comparison: Comparison, ranked: Sequence[ContenderResult]) -> str:
    if not any(item.beats for item in ranked):
        return "Nobody beat anybody: none can be told from any other."
    if not (first := comparison.unbeaten):
        return "Each was beaten by another: nobody is first."
    best = first[0]
    if best.ranks == (1, 1):
        others = (item for item in ranked if item is not best)
        return _first(comparison, best, next(others))
    labels = _join([item.label for item in first])
    return f"{labels}: nobody beat {'it' if len(first) == 1 else 'them'}."


def _first(comparison: Comparison, best: ContenderResult, second: ContenderResult) -> str:
    found = against(comparison, best, second)
    if found is None:  # no common round
        return f"{best.label} is first."
    text = f"{best.label} is first, {found.estimate} as fast as {second.label}, the next in order."
    several = found.unknown or len(found.differ) > 1
    return f"{text} {found.difference}." if several else text


def rule(comparison: Comparison) -> str:
    """How far apart two contenders had to be here, and why; whom ratios are to where it is not the
    baseline.
    """
    reasons = [*_noise(comparison), *_controls(comparison), *_between(comparison)]
    because = f" ({'; '.join(reasons)})" if reasons else ""
    return f"Margin {words.margin(comparison)}{because}.{_stand_in(comparison)}"


def _stand_in(comparison: Comparison) -> str:
    if not comparison.replaced:
        return ""
    baseline = comparison.baseline
    return f" Ratios are to {comparison.reference}: the baseline {baseline} has no rate here."


def _noise(comparison: Comparison) -> Iterator[str]:
    noise = comparison.noise
    if noise is None:
        return
    bound = (
        f"bound {100 * (math.exp(noise.estimate.bound) - 1):.1f} %"
        if noise.estimate.bounded
        else "too few rounds for a bound"
    )
    where = "" if noise.measured_here else f", lent by another {comparison.discipline.task}"
    yield f"A/A {noise.estimate.ratio:.3f}×, {bound}{where}"


def _controls(comparison: Comparison) -> Iterator[str]:
    found = comparison.controls
    if found is None:
        return
    most = 100 * (found.estimate.ratio - 1)
    names = f"{words.in_words(len(found.labels))} {comparison.discipline.contender}s"
    groups = len(found.groups)
    where = "" if groups == 1 else f", in {words.in_words(groups)} groups,"
    yield f"{names} that run the same code here{where} differ by up to {most:.1f} %"


def _between(comparison: Comparison) -> Iterator[str]:
    if comparison.between:
        apart = 100 * math.expm1(comparison.between)
        yield f"processes of the same code vary by {apart:.1f} % (standard deviation)"


def bounds(comparison: Comparison) -> str:
    """Whose rate is only a lower bound, and what was the limit instead; empty when nobody's is."""
    found: dict[str, list[str]] = {}
    for item in comparison.results:
        if item.state == "at-least":
            found.setdefault(item.limit or "", []).append(item.label)
    if not found:
        return ""
    told = "; ".join(f"{_join(labels)} ({who})" for who, labels in found.items())
    unit = comparison.discipline.unit
    return (
        f"Not ranked, because {unit}/s is a lower bound (“at least”): {told}. There CPU time per "
        f"{words.one(unit)} is compared."
    )


def doubts(comparison: Comparison) -> str:
    """Who left connections without an answer, by Little's law; empty when nobody did."""
    least = 1 - comparison.little
    found = [
        f"{item.label} {100 * item.utilisation:.0f} %"
        for item in comparison.results
        if item.utilisation is not None and item.utilisation < least
    ]
    if not found:
        return ""
    return (
        "By Little’s law only a part of the connections was being answered, and latencies are of "
        f"that part alone: {', '.join(found)}."
    )


def said(comparison: Comparison) -> str:
    """Verdict, rule, bounds and doubts, where there is no room to set them apart."""
    parts = (verdict(comparison), rule(comparison), bounds(comparison), doubts(comparison))
    return " ".join(filter(None, parts))


def strips(comparison: Comparison) -> dict[str, Strip]:
    """Label to its interval strip, for every contender whose ratio has an interval."""
    known = {item.label: item.ratio for item in comparison.results if item.ratio is not None}
    bounded = {label: ratio for label, ratio in known.items() if ratio.bounded}
    if not bounded:
        return {}
    least = min(0.0, *(ratio.low for ratio in bounded.values()))
    width = max(0.0, *(ratio.high for ratio in bounded.values())) - least or 1.0

    def place(log: float) -> float:
        return round(2 + 96 * (log - least) / width, 2)

    return {
        label: Strip(place(ratio.low), place(ratio.value), place(ratio.high), place(0.0))
        for label, ratio in bounded.items()
    }


def spoken(comparison: Comparison) -> str:
    """The bar chart in words."""
    unit, party = comparison.discipline.unit, comparison.party
    return "; ".join(
        f"{item.label} {words.rate(item)} {unit} per second and "
        f"{words.number(item.cpu_us.get(party))} microseconds of {party} CPU per {words.one(unit)}"
        for item in comparison.results
        if item.throughput
    )


def late(side: UserLoadResult) -> str:
    """Who did not keep up with a user load, and how often."""
    return f"{side.item.label}: did not keep up in {side.late} of {side.cells} cells."


def versus(comparison: Comparison, pair: UserLoadRatios) -> str:
    """Two contenders under one user load, in a sentence."""
    known = (
        (pair.count, f"as many {comparison.discipline.unit}"),
        (pair.p50, "the median time"),
        (pair.p95, "the p95"),
    )
    told = ", ".join(f"{found} {what}" for found, what in known if found is not None)
    differ = "" if pair.differ == user_loads.TWIN else f" ({pair.differ})"
    return f"{pair.label} against {pair.other}{differ}: {told or words.NONE}."


def connections(analysis: Analysis, work: Work) -> tuple[int, int]:
    """The fewest and the most that were open in cells that count."""
    planned = work.load.connections
    used = [cell.connections_used or planned for cell in analysis.counted if cell.work == work]
    return min(used, default=planned), max(used, default=planned)


def load(analysis: Analysis, comparison: Comparison) -> str:
    """The load in a phrase, with the connections that were really open."""
    fewest, most = connections(analysis, comparison.work)
    text = load_text(replace(comparison.work.load, connections=most), comparison.discipline.unit)
    return text if fewest == most else f"{fewest:,} to {text}"


def slug(comparison: Comparison) -> str:
    """The anchor of a comparison of the closed loop."""
    load = comparison.work.load
    return f"{comparison.work.task}-{load.connections}-{load.pipeline}"


def strongest(analysis: Analysis) -> float | None:
    """The largest margin, in percent, that a winner had to clear; None where nobody could win."""
    margins = (comparison.margin_percent for comparison in analysis.closed() if comparison.decided)
    return max(margins, default=None)


def matrix(
    comparisons: Sequence[Comparison],
) -> list[tuple[ContenderResult, list[ContenderResult | None]]]:
    """Every contender with its result in each comparison, the best on the mean first."""
    found: dict[str, list[ContenderResult | None]] = {}
    for column, comparison in enumerate(comparisons):
        for item in comparison.results:
            found.setdefault(item.label, [None] * len(comparisons))[column] = item
    rows = [(next(filter(None, row)), row) for row in found.values()]
    return sorted(rows, key=lambda row: (-_mean(row[1]), row[0].label))


def _mean(row: Sequence[ContenderResult | None]) -> float:
    """Mean log-ratio to the references; the reference itself counts as 0, no number as very low,
    what is not supported not at all.
    """
    logs = [_log(item) for item in row if item and item.state != "unsupported"] or [LOWEST]
    return math.fsum(logs) / len(logs)


def _log(item: ContenderResult) -> float:
    if item.throughput is None:
        return LOWEST
    if item.ratio is None and item.cpu_ratio:  # a lower bound: what it could do by its CPU time
        return -item.cpu_ratio.value
    return item.ratio.value if item.ratio else 0.0


def _join(names: Sequence[str]) -> str:
    """Labels in a sentence; of drivers many have commas in them."""
    *most, last = names
    between = "; " if any("," in name for name in names) else ", "
    return f"{between.join(most)} and {last}" if most else last
