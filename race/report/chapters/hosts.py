"""The chapter of the machines of other parties, and of the network's share."""

from __future__ import annotations

from race.analysis.model import Analysis, Comparison, ContenderResult
from race.report import format as words
from race.report.charts.colours import palette
from race.report.table import NUMBER, PERCENT, TEXT, Column, ColumnKind, ReportTable, fill
from race.report.tables import values
from race.report.template import ReportChapter, chapter
from race.saved.model import GENERATOR

MEGABYTES = ColumnKind(words.megabytes)


def render(analysis: Analysis) -> ReportChapter | None:
    """Return the machines and the network's share; None where all ran on one machine."""
    machines = analysis.race.head.environment.machines
    if not machines:
        return None
    tables = [_network(analysis, party) for party in machines]
    return chapter("Machines", "hosts", analysis, machines=machines, tables=tables)


def _network(analysis: Analysis, party: str) -> ReportTable:
    """Return the network between a party and the one under test, by task and contender."""
    discipline, colours = analysis.discipline, palette(analysis)
    rows = [(one, item) for one in analysis.comparisons for item in one.results if item.meters]

    def trip(row: tuple[Comparison, ContenderResult]) -> float | None:
        return row[1].meters.get("network_us", {}).get(f"{party} round_trip")

    def share(row: tuple[Comparison, ContenderResult]) -> float | None:
        whole, part = row[1].latency_us.get("p50"), trip(row)
        return part / whole if part and whole else None

    def moved(way: str) -> Column:
        figure = f"{party} {way}"
        return Column(
            f"{way} in a cell",
            lambda row: row[1].meters.get("network_bytes", {}).get(figure),
            MEGABYTES,
        )

    columns = (
        Column(discipline.task, lambda row: f"{row[0].title}, {row[0].load}", TEXT),
        values.contender(discipline, colours, lambda row: row[1]),
        Column("round trip µs", trip, NUMBER),
        Column("p50 µs", lambda row: row[1].latency_us.get("p50"), NUMBER),
        Column("share", share, PERCENT),
        moved("received"),
        moved("sent"),
    )
    first = discipline.parties[0]
    ends = (party, first) if party == GENERATOR else (first, party)
    caption = (
        f"Round trip: a TCP connection from the {ends[0]} to the {ends[1]}, before the load. "
        "Share: that round trip divided by the median latency."
    )
    return fill(f"The network of the {party}", columns, rows, caption)
