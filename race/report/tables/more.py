"""Tables of the pairs of an effect, of answers, of other meters, and of cells that were lost."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter

from race.analysis.model import Analysis, Comparison, ContenderResult
from race.analysis.scaling.curves import CONNECTIONS, CPU
from race.analysis.values import place, workers
from race.report import format as words
from race.report.charts.colours import palette
from race.report.table import COUNT, TEXT, Column, ColumnKind, ReportTable, fill
from race.report.tables import values
from race.report.tables.values import RATIO, Names, Ratio
from race.saved.model import CALIBRATION, Cell, Discipline, Work
from race.stats.effects import Effect

Contrast = Sequence[tuple[Work, Effect]]
"""One level against another of one factor: its effect on each task."""
MOST_LEVELS = 6
"""The most levels of a factor of which every pair is a contrast of its own: six at most."""
UNITS = ("ns", "bytes")
FACT = ColumnKind(lambda value: words.figure(value, "count"))


def contrasts(analysis: Analysis) -> list[Contrast]:
    """Return the effects of one level against another together, in the order of the factors.

    Of a factor with more than MOST_LEVELS, they are those against the level of the baseline.
    """
    head, order = analysis.race.head, list(analysis.discipline.factors)
    baseline = next((one.factors for one in head.contenders if one.label == head.baseline), {})
    raced = {name: {one.factors.get(name) for one in head.contenders} for name in order}
    groups: dict[tuple[str, str, str], list[tuple[Work, Effect]]] = {}
    for work, effect in analysis.effects:
        what = effect.factor, effect.level, effect.reference
        if len(raced[effect.factor]) <= MOST_LEVELS or baseline.get(effect.factor) in what[1:]:
            groups.setdefault(what, []).append((work, effect))
    return sorted(groups.values(), key=lambda found: order.index(found[0][1].factor))


def pairs(analysis: Analysis, found: Contrast) -> ReportTable:
    """Return every pair of effects, a row for each pair and a column for each task."""
    discipline, first = analysis.discipline, found[0][1]
    columns = (
        Column(discipline.contender, itemgetter(0), TEXT),
        Column("against", itemgetter(1), TEXT),
        *(_estimates(place(discipline, work), effect) for work, effect in found),
    )
    labels = dict.fromkeys(pair for _, one in found for pair in one.pairs)
    return fill(f"The pairs: {first.level} against {first.reference}", columns, labels)


def _estimates(title: str, effect: Effect) -> Column:
    known = dict(zip(effect.pairs, map(Ratio, effect.estimates), strict=True))
    return Column(title, known.get, RATIO)


def answers(analysis: Analysis) -> ReportTable | None:
    """Return what one unit of each task is, its bytes and headers; None where nothing is known.

    Facts do not depend on the load, so of several loads the first speaks. Contenders with the same
    facts share a row.
    """
    first: dict[str, Comparison] = {}
    for comparison in analysis.closed():
        first.setdefault(comparison.work.task, comparison)
    groups = [(comparison, group) for comparison in first.values() for group in _alike(comparison)]
    facts = dict.fromkeys(name for _, group in groups for name in group[0].facts)
    if not facts:
        return None
    discipline, colours = analysis.discipline, palette(analysis)

    def who(found: tuple[Comparison, list[ContenderResult]]) -> Names | str:
        comparison, group = found
        every = len(group) == sum(bool(item.facts) for item in comparison.results)
        return "all" if every else Names(values.name(colours, item) for item in group)

    columns = (
        Column(discipline.task, lambda found: found[0].title, TEXT),
        Column(f"{discipline.contender}s", who, TEXT, css="names"),
        *map(_fact, facts),
    )
    return fill(f"What {words.a(words.one(discipline.unit))} is", columns, groups)


def _fact(name: str) -> Column:
    return Column(name.replace("_", " "), lambda found: found[1][0].facts.get(name), FACT)


def _alike(comparison: Comparison) -> Iterable[list[ContenderResult]]:
    """Return contenders in groups with the same facts."""
    groups: dict[tuple[tuple[str, float], ...], list[ContenderResult]] = {}
    for item in comparison.results:
        if item.facts:
            groups.setdefault(tuple(sorted(item.facts.items())), []).append(item)
    return groups.values()


def meters(analysis: Analysis, comparison: Comparison) -> ReportTable | None:
    """Return what meters saw that no other table shows; None where they saw nothing."""
    discipline = comparison.discipline
    cpu = {("cpu_ns", party) for party in workers(discipline)}
    elsewhere = cpu | {("cores", "steal"), ("cores", "foreign")}
    known = dict.fromkeys(one for item in comparison.results for one in _figures(item))
    found = [
        _column(discipline, *one)
        for one in known
        if one not in elsewhere and one[0] not in (CPU, CONNECTIONS)
    ]
    columns = (values.contender(discipline, palette(analysis)), *found)
    items = [item for item in comparison.results if item.meters]
    heading = f"Meters of {comparison.title}, {comparison.load}"
    return fill(heading, columns, items) if found else None


def _figures(item: ContenderResult) -> Iterator[tuple[str, str]]:
    yield from ((meter, figure) for meter, figures in item.meters.items() for figure in figures)


def _column(discipline: Discipline, meter: str, figure: str) -> Column:
    """Return the column of a meter: "memory, server"; its unit stands at the numbers.

    The unit is the meter's own; without one the end of its name may say it.
    """
    ending = meter.rpartition("_")[2]
    unit = discipline.meters.get(meter, ending if ending in UNITS else "count")
    name = meter
    for one in UNITS:
        name = name.removesuffix(f"_{one}")
    title = f"{name.replace('cpu', 'CPU')}, {figure}".replace("_", " ")
    kind = ColumnKind(lambda value: words.figure(value, unit))
    return Column(title, lambda item: item.meters.get(meter, {}).get(figure), kind)


def lost(analysis: Analysis) -> ReportTable:
    """Return the cells that were not ok, by reason, figures aside; of each the worst is shown."""
    groups: dict[tuple[object, ...], list[Cell]] = {}
    for cell in analysis.race.cells:
        if cell.status != "ok" and cell.round != CALIBRATION:
            kind = re.sub(r"\d[\d.,]*", "#", cell.reason or "")
            groups.setdefault((cell.status, cell.label, cell.work, kind), []).append(cell)
    discipline = analysis.discipline
    columns = (
        Column("status", lambda cells: cells[0].status, TEXT, css="failed"),
        Column(discipline.contender, lambda cells: cells[0].label, TEXT),
        Column(discipline.task, lambda cells: _where(analysis, cells[0]), TEXT),
        Column("cells", len, COUNT),
        Column("reason", lambda cells: max(cells, key=_disturbed).reason or "", TEXT, css="reason"),
    )
    return fill("Cells that were not ok", columns, groups.values(), css="")


def _disturbed(cell: Cell) -> float:
    """Return how much of its cores' time others took."""
    return (cell.steal or 0.0) + (cell.foreign or 0.0)


def _where(analysis: Analysis, cell: Cell) -> str:
    load = cell.load
    rate = "" if load.rate is None else f" at {load.rate:,.0f}/s"
    shape = f" under the shape {load.user_load.shape}" if load.user_load else ""
    return place(analysis.discipline, cell.work) + rate + shape
