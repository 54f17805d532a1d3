"""Latency at fixed rates; at full load it would restate throughput."""

from __future__ import annotations

import math
from collections.abc import Callable

from markupsafe import Markup

from race.analysis.model import Analysis, Comparison, ContenderResult
from race.report import format as words
from race.report.charts.colours import palette
from race.report.charts.latency import latency
from race.report.template import filled

PERCENTILES = ("p50", "p99", "p99.9")
FAR = "p99.9"
"""What the errors that a cell may have can move: those without an answer are in no histogram."""

Told = Callable[[Comparison, ContenderResult, str], str]


class Latency:
    """`chapters.Chapter`: tables of fixed rates, then every figure that there is data for."""

    def title(self, analysis: Analysis) -> str:
        """See ``Chapter``."""
        return "Latency"

    def render(self, analysis: Analysis) -> Markup | None:
        """See ``Chapter``."""
        shared = [comparison for comparison in analysis.comparisons if _shared_rate(comparison)]
        figures = latency(analysis, shared, palette(analysis))
        rated = [(comparison, _cheapest_first(comparison)) for comparison in shared]
        if not figures:
            return None
        return filled(
            "latency",
            analysis,
            figures=figures,
            rated=rated,
            percentiles=PERCENTILES,
            told=_told(analysis),
        )


def _told(analysis: Analysis) -> Told:
    """A percentile of a contender's histogram, marked where answers are missing beyond it."""
    lost = {(cell.label, cell.work) for cell in analysis.counted if any(cell.errors.values())}

    def told(comparison: Comparison, item: ContenderResult, name: str) -> str:
        text = words.milliseconds(item.latency_us.get(name))
        missing = name == FAR and (item.label, comparison.work) in lost
        return f"≥ {text}" if missing and text != words.NONE else text

    return told


def _shared_rate(comparison: Comparison) -> bool:
    """Whether several contenders served the same fixed rate."""
    return comparison.rated and sum(item.throughput is not None for item in comparison.results) > 1


def _cheapest_first(comparison: Comparison) -> list[ContenderResult]:
    """By CPU time; those without a number last."""

    def cost(item: ContenderResult) -> float:
        return item.cpu_us.get(comparison.party, math.inf) if item.throughput else math.inf

    return sorted(comparison.results, key=cost)
