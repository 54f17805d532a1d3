"""Sentences about one comparison: who won, by which margin, what to doubt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from race.analysis.headline import against
from race.analysis.model import Analysis, Comparison, ContenderResult
from race.analysis.user_loads import UserLoadResult
from race.report import format as words
from race.stats import signed_rank
from race.stats.estimate import Estimate
from race.stats.noise import LEAST_MARGIN


def times(estimate: Estimate) -> str:
    """Return a ratio within a sentence: "1.19 [1.17, 1.22] times"."""
    return f"{str(estimate).replace('×', '')} times"


def verdict(comparison: Comparison) -> str:
    """Return who won, and what sets it apart from the next where that is not one factor."""
    ranked = [item for item in comparison.results if item.ranks]
    if comparison.rated:
        return "Not ranked, because at a fixed rate everyone serves what is offered."
    if not comparison.closed:
        return "Not ranked, because users set their own pace."
    if len(ranked) < 2:
        fewer = "Not ranked, because fewer than two contenders have a rate of their own here."
        return _unranked(comparison) or fewer
    if not comparison.enough:
        return (
            "In the order seen and not ranked, because "
            f"{words.plural(comparison.rounds, 'round')} cannot give a 95 % interval; "
            f"{signed_rank.rounds_needed()} rounds can."
        )
    if not comparison.decided:
        return (
            "In the order seen and not ranked, because too few rounds of both A/A twins count for "
            "a margin."
        )
    return _winners(comparison, ranked)


def _winners(comparison: Comparison, ranked: Sequence[ContenderResult]) -> str:
    if not any(item.beats for item in ranked):
        return "No contender beats another: of no two is it shown that they differ."
    if not (first := comparison.unbeaten):
        return "Every contender is beaten by another, so nobody is first."
    best = first[0]
    if best.ranks == (1, 1):
        others = (item for item in ranked if item is not best)
        text = _first(comparison, best, next(others))
    elif len(first) == 1:
        text = f"{best.label} is beaten by none, and does not beat all others."
    else:
        none = "neither" if len(first) == 2 else "none"
        labels = words.listed([item.label for item in first])
        text = f"{labels} share first place: {none} is beaten."
    unranked = any(item.state == "at-least" and not item.ranks for item in comparison.results)
    return f"Of those ranked, {text}" if unranked else text


def _first(comparison: Comparison, best: ContenderResult, second: ContenderResult) -> str:
    found = against(comparison, best, second)
    if found is None:  # a lower bound, or no common round
        least = ", with a rate that is only a lower bound" if best.state == "at-least" else ""
        return f"{best.label} is first{least}."
    text = (
        f"{best.label} is first: it reaches {times(found.estimate)} the rate of {second.label}, "
        "the next in order."
    )
    several = found.unknown or len(found.differ) > 1
    return f"{text} {found.difference}." if several else text


def rule(comparison: Comparison) -> str:
    """Return how far apart two contenders had to be here, and why; what controls differ by; and
    whom ratios are to, where that is not the baseline.
    """
    if not math.isfinite(comparison.margin):
        text = "The margin is unknown, because the A/A twin ran for too few rounds."
    else:
        text = f"A win must exceed {words.margin(comparison)}{_reason(comparison)}."
    return text + _controls(comparison) + _other_reference(comparison)


def _other_reference(comparison: Comparison) -> str:
    if not comparison.replaced:
        return ""
    return (
        f" Ratios are to {comparison.reference}, because the baseline {comparison.baseline} has no "
        "rate here."
    )


def _reason(comparison: Comparison) -> str:
    """Return what the margin means, behind it: how far the same code may differ from itself, or the
    least that counts.
    """
    noise = comparison.noise
    least = ", the least that counts"
    if noise is None:
        if comparison.alone:
            return f"{least}; these two are the same code, so what they differ by is noise"
        return f"{least}; how far the same code differs is unknown, because no A/A twin has a rate"
    where = "here" if noise.measured_here else f"on another {comparison.discipline.task}"
    if noise.estimate.bound > LEAST_MARGIN:
        return f": that is how far the same code may differ from itself {where}"
    percent = f"{100 * math.expm1(noise.estimate.bound):.1f} %"
    return f"{least} (A/A: at most {percent} {where})"


def _controls(comparison: Comparison) -> str:
    """Return what the controls differ by, as a sentence behind another."""
    found = comparison.controls
    if found is None:
        return ""
    number = words.in_words(len(found.labels)).capitalize()
    groups = len(found.groups)
    alike = f" {number} {comparison.discipline.contender}s run the same code here"
    where = f", in {words.in_words(groups)} groups" if groups > 1 else ""
    both = f"{found.first} and {found.second}: {found.estimate}"
    most = (
        f", {both}" if len(found.labels) == 2 else f"{where}. The two that differ most are {both}"
    )
    return f"{alike}{most}. The margin does not include this."


def _unranked(comparison: Comparison) -> str:
    """Return whose rate is only a lower bound and without a place, and what was the limit instead;
    else nothing.
    """
    without = [item for item in comparison.results if item.state == "at-least" and not item.ranks]
    if not without:
        return ""
    whose, unit = "Its" if len(without) == 1 else "Their", comparison.discipline.unit
    return (
        f"Not ranked, because {unit}/s is only a lower bound (“at least”): {_limits(without)}. "
        f"{whose} CPU time per {words.one(unit)} is compared instead."
    )


def bounds(comparison: Comparison) -> str:
    """Return whose rate is only a lower bound, where the verdict does not say so; else nothing."""
    placed = [item for item in comparison.results if item.state == "at-least" and item.ranks]
    ranked = [item for item in comparison.results if item.ranks]
    texts = [_unranked(comparison)] if len(ranked) > 1 else []
    if placed:
        bound = (
            "is ranked by a lower bound (“at least”), because even that is"
            if len(placed) == 1
            else "are ranked by lower bounds (“at least”), because even those are"
        )
        texts.append(f"{_limits(placed)} {bound} beyond the margin above others.")
    return " ".join(filter(None, texts))


def _limits(items: Sequence[ContenderResult]) -> str:
    """Return contenders by what limited them."""
    found: dict[str, list[str]] = {}
    for item in items:
        found.setdefault(item.limit or "", []).append(item.label)
    return "; ".join(f"{words.listed(labels)} ({who})" for who, labels in found.items())


def order(comparison: Comparison) -> str:
    """Return why a contender stands above one with a higher rate, where one does; else nothing."""
    ranked = [item for item in comparison.results if item.ranks and item.throughput]
    for above, below in pairwise(ranked):
        if _rate(below) > _rate(above):
            return (
                f"{above.label} stands above {below.label}, whose median rate is higher, because "
                "the order is by the mean ratio to all others in the same rounds."
            )
    return ""


def _rate(item: ContenderResult) -> float:
    return item.throughput.median if item.throughput else 0.0


def doubts(comparison: Comparison) -> str:
    """Return who left connections without an answer, by Little's law; else nothing."""
    least = 1 - comparison.little
    found = [
        f"{item.label} {100 * item.utilisation:.0f} %"
        for item in comparison.results
        if item.utilisation is not None and item.utilisation < least
    ]
    if not found:
        return ""
    return (
        "By Little’s law only a part of the connections was being answered at a time, and "
        f"latencies are of that part alone: {', '.join(found)}."
    )


def remarks(comparison: Comparison) -> str:
    """Return all that is said of a comparison, where there is no room to set it apart."""
    parts = (verdict, rule, order, bounds, doubts)
    return " ".join(filter(None, (part(comparison) for part in parts)))


def late(side: UserLoadResult) -> str:
    """Return how often a contender did not keep up with a user load."""
    return f"{side.item.label} did not keep up in {side.late} of {side.cells} cells."


def slug(comparison: Comparison) -> str:
    """Return the anchor of a comparison of the closed loop."""
    load = comparison.work.load
    return f"{comparison.work.task}-{load.connections}-{load.pipeline}"


def strongest(analysis: Analysis) -> float | None:
    """Return the largest margin, in percent, that a winner had to clear; None: nobody could win."""
    margins = (one.margin_percent for one in analysis.closed() if one.decided)
    return max(margins, default=None)
