"""What the meters saw that no other chapter shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from race.analysis.model import Analysis, Comparison, ContenderResult
from race.analysis.values import workers
from race.report import format as words
from race.report.template import filled
from race.saved.model import Discipline

UNITS = ("ns", "bytes")


@dataclass(frozen=True, slots=True)
class Column:
    """One figure of one meter."""

    meter: str
    figure: str
    unit: str

    @property
    def title(self) -> str:
        """As people read it: "memory, server"; a unit that is in the name stands at the numbers."""
        name = self.meter
        for unit in UNITS:
            name = name.removesuffix(f"_{unit}")
        return f"{name.replace('cpu', 'CPU')}, {self.figure}".replace("_", " ")

    def text(self, result: ContenderResult) -> str:
        """The median over the cells of a contender that count."""
        return words.figure(result.meters.get(self.meter, {}).get(self.figure), self.unit)


class Meters:
    """`chapters.Chapter`: a table for each work, a column for each figure."""

    def title(self, analysis: Analysis) -> str:
        """See ``Chapter``."""
        return "Meters"

    def render(self, analysis: Analysis) -> Markup | None:
        """See ``Chapter``."""
        tables = [
            (comparison, columns, [item for item in comparison.results if item.meters])
            for comparison in analysis.comparisons
            if (columns := _columns(comparison))
        ]
        return filled("meters", analysis, tables=tables) if tables else None


def _columns(comparison: Comparison) -> list[Column]:
    """What anybody here has, in the order of the cells."""
    elsewhere = _elsewhere(comparison.discipline)
    found = dict.fromkeys(one for item in comparison.results for one in _figures(item))
    return [
        Column(meter, figure, _unit(comparison.discipline, meter))
        for meter, figure in found
        if (meter, figure) not in elsewhere
    ]


def _figures(item: ContenderResult) -> Iterable[tuple[str, str]]:
    yield from ((meter, figure) for meter, figures in item.meters.items() for figure in figures)


def _elsewhere(discipline: Discipline) -> set[tuple[str, str]]:
    """What other chapters show: CPU time of those who do the work, what disturbed them."""
    cpu = {("cpu_ns", party) for party in workers(discipline)}
    return cpu | {("cores", "steal"), ("cores", "foreign")}


def _unit(discipline: Discipline, meter: str) -> str:
    """The meter's own; without one the end of its name may say it."""
    ending = meter.rpartition("_")[2]
    return discipline.meters.get(meter, ending if ending in UNITS else "count")
