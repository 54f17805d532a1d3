"""Tables of the pairs of an effect, of answers, of other meters, and of cells that were lost."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from race.analysis.model import Analysis, Comparison, ContenderResult
from race.analysis.values import place, workers
from race.report import format as words
from race.report.charts.colours import palette
from race.report.table import COUNT, TEXT, Column, Kind, Row, Table
from race.report.tables import values
from race.report.tables.values import NAME, RATIO, Ratio
from race.saved.model import CALIBRATION, Cell, Discipline, Work
from race.stats.effects import Effect

Contrast = Sequence[tuple[Work, Effect]]
"""One level against another of one factor: its effect on each task."""
UNITS = ("ns", "bytes")
FACT = Kind(lambda value: words.figure(value, "count"))


def contrasts(analysis: Analysis) -> list[Contrast]:
    """Return the effects of one level against another together, in the order of the factors."""
    groups: dict[tuple[str, str, str], list[tuple[Work, Effect]]] = {}
    for work, effect in analysis.effects:
        what = effect.factor, effect.level, effect.reference
        groups.setdefault(what, []).append((work, effect))
    order = list(analysis.discipline.factors)
    return sorted(groups.values(), key=lambda found: order.index(found[0][1].factor))


def pairs(analysis: Analysis, found: Contrast) -> Table:
    """Return every pair of effects, a row for each pair and a column for each task."""
    discipline = analysis.discipline
    columns = [
        Column(discipline.contender, TEXT),
        Column("against", TEXT),
        *(Column(place(discipline, work), RATIO) for work, _ in found),
    ]
    known = [dict(zip(one.pairs, one.estimates, strict=True)) for _, one in found]
    labels = dict.fromkeys(pair for _, one in found for pair in one.pairs)
    rows = [
        Row([*pair, *((ratio := one.get(pair)) and Ratio(ratio) for one in known)])
        for pair in labels
    ]
    first = found[0][1]
    return Table(f"The pairs: {first.level} against {first.reference}", columns, rows)


def answers(analysis: Analysis) -> Table | None:
    """Return what one unit of each task is, its bytes and headers; None where nothing is known.

    Facts do not depend on the load, so of several loads the first speaks. Contenders with the same
    facts share a row.
    """
    first: dict[str, Comparison] = {}
    for comparison in analysis.closed():
        first.setdefault(comparison.work.task, comparison)
    groups = [(comparison, group) for comparison in first.values() for group in _alike(comparison)]
    names = list(dict.fromkeys(name for _, group in groups for name in group[0].facts))
    if not names:
        return None
    discipline, colours = analysis.discipline, palette(analysis)
    columns = [
        Column(discipline.task, TEXT),
        Column(f"{discipline.contender}s", TEXT, css="names"),
        *(Column(name.replace("_", " "), FACT) for name in names),
    ]
    rows = []
    for comparison, group in groups:
        every = len(group) == sum(bool(item.facts) for item in comparison.results)
        who = "all" if every else values.Names([values.name(colours, item) for item in group])
        facts = [group[0].facts.get(name) for name in names]
        rows.append(Row([comparison.title, who, *facts]))
    return Table(f"What {words.a(words.one(discipline.unit))} is", columns, rows)


def _alike(comparison: Comparison) -> Iterable[list[ContenderResult]]:
    """Return contenders in groups with the same facts."""
    groups: dict[tuple[tuple[str, float], ...], list[ContenderResult]] = {}
    for item in comparison.results:
        if item.facts:
            groups.setdefault(tuple(sorted(item.facts.items())), []).append(item)
    return groups.values()


def meters(analysis: Analysis, comparison: Comparison) -> Table | None:
    """Return what meters saw that no other table shows; None where they saw nothing."""
    discipline = comparison.discipline
    cpu = {("cpu_ns", party) for party in workers(discipline)}
    elsewhere = cpu | {("cores", "steal"), ("cores", "foreign")}
    known = dict.fromkeys(one for item in comparison.results for one in _figures(item))
    found = [one for one in known if one not in elsewhere]
    columns = [
        Column(discipline.contender, NAME),
        *(_column(discipline, meter, figure) for meter, figure in found),
    ]
    rows = [
        Row(
            [
                values.name(palette(analysis), item),
                *(item.meters.get(meter, {}).get(figure) for meter, figure in found),
            ]
        )
        for item in comparison.results
        if item.meters
    ]
    heading = f"{comparison.title}, {comparison.load}"
    return Table(f"Meters of {heading}", columns, rows) if found else None


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
    return Column(title, Kind(lambda value: words.figure(value, unit)))


def lost(analysis: Analysis) -> Table:
    """Return the cells that were not ok, by reason, figures aside; of each the worst is shown."""
    groups: dict[tuple[object, ...], list[Cell]] = {}
    for cell in analysis.race.cells:
        if cell.status != "ok" and cell.round != CALIBRATION:
            kind = re.sub(r"\d[\d.,]*", "#", cell.reason or "")
            groups.setdefault((cell.status, cell.label, cell.work, kind), []).append(cell)
    discipline = analysis.discipline
    columns = (
        Column("status", TEXT, css="failed"),
        *(Column(title, TEXT) for title in (discipline.contender, discipline.task)),
        Column("cells", COUNT),
        Column("reason", TEXT, css="reason"),
    )
    rows = []
    for cells in groups.values():
        worst = max(cells, key=lambda cell: (cell.steal or 0.0) + (cell.foreign or 0.0))
        where = _where(analysis, worst)
        rows.append(Row([worst.status, worst.label, where, len(cells), worst.reason or ""]))
    return Table("Cells that were not ok", columns, rows, heading=1, css="")


def _where(analysis: Analysis, cell: Cell) -> str:
    load = cell.load
    rate = "" if load.rate is None else f" at {load.rate:,.0f}/s"
    shape = f" under the shape {load.user_load.shape}" if load.user_load else ""
    return place(analysis.discipline, cell.work) + rate + shape
