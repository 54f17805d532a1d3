"""The table at the end of a race: engines by pages, in requests per second."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from race.analysis.trust import median, state
from race.analysis.values import Key, counted, cpu_us
from race.saved.model import Cell
from race.saved.reader import Run
from race.stats import histogram
from race.terminal.board import page_text


def matrix(run: Run) -> Table:
    """Medians over all valid cells; `?` marks invalid ones, which are ranked nowhere.

    A cell that failed in every round is shown as failed, and its reason below the table.
    """
    keys = sorted({Key(cell.page, cell.load) for cell in run.cells}, key=lambda key: key.order)
    closed = [key for key in keys if key.load.rate is None]
    table = Table(title="requests per second", title_justify="left", caption_justify="left",
                  padding=(0, 0, 0, 1), box=None)  # fmt: skip
    table.add_column("engine")  # the one that may wrap: a cut number would be a wrong one
    for key in closed:
        heading = page_text(key.page, key.load).replace(" ", "\n").replace("-", "\n")
        table.add_column(heading, justify="right", no_wrap=True)
    rejected = {one.round for one in run.head.rejected}
    reasons: dict[str, None] = {}
    for contender in run.head.contenders:
        row = [Text(contender.label)]
        for key in closed:
            cells = [
                c for c in run.cells if (c.label, Key(c.page, c.load)) == (contender.label, key)
            ]
            row.append(_entry(cells, rejected))
            reasons.update((_reason(cell), None) for cell in cells if cell.status == "failed")
        table.add_row(*row)
    notes = [*reasons, *_legend(run)]
    table.caption = Text("\n".join(notes)) if notes else None
    return table


def latencies(run: Run) -> Table | None:
    """CPU per request, p50, p99 and p99.9 at each fixed rate; None where there is none."""
    table = Table(title="milliseconds at a fixed rate", title_justify="left",
                  padding=(0, 0, 0, 1), box=None)  # fmt: skip
    for name in ("page", "engine"):
        table.add_column(name, no_wrap=True)
    for name in ("rate/s", "CPU µs", "p50", "p99", "p99.9"):
        table.add_column(name, justify="right", no_wrap=True)
    rated = [cell for cell in run.cells if cell.load.rate is not None]
    groups: dict[tuple[Key, str], list[Cell]] = {
        (Key(cell.page, cell.load), cell.label): [] for cell in rated
    }
    for cell in counted(run):
        if cell.load.rate is not None:
            groups[Key(cell.page, cell.load), cell.label].append(cell)
    order = sorted(groups, key=lambda group: (group[0].order, group[1]))
    for key, label in order:
        cells = groups[key, label]
        figures = _percentiles(cells) if cells else [state(run, key, label, cells, False)[0]]
        table.add_row(key.page, label, f"{key.load.rate:,.0f}", _cpu(cells), *figures)
    return table if rated else None


def _cpu(cells: list[Cell]) -> str:
    measure = cpu_us("server")
    found = median(measure(cell) for cell in cells)
    return "–" if found is None else f"{found:.1f}"


def _percentiles(cells: list[Cell]) -> list[str]:
    merged = histogram.merge(cell.histogram for cell in cells)
    found = (histogram.percentile(merged, percent) for percent in (50, 99, 99.9))
    return ["–" if value is None else f"{value / 1000:.1f}" for value in found]


def _entry(cells: list[Cell], rejected: set[int]) -> Text:
    valid = [c for c in cells if c.status == "ok" and c.round not in rejected]
    rate = median(cell.rps for cell in valid)
    if rate is not None:
        bound = any(cell.generator_bound for cell in valid)
        return Text(f"≥{short(rate)}" if bound else short(rate))
    if any(cell.status == "failed" for cell in cells):
        return Text("failed", "red")
    unsure = median(cell.rps for cell in cells)
    return Text("–" if unsure is None else f"{short(unsure)}?", "yellow")


def short(rate: float) -> str:
    """Three digits and a unit, so that a row fits a terminal of 80 columns: 941, 12.3k, 1.21M."""
    for limit, unit in ((1e6, "M"), (1e3, "k")):
        if rate >= 0.9995 * limit:
            return f"{rate / limit:.3g}{unit}"
    return f"{rate:.0f}"


def _reason(cell: Cell) -> str:
    return f"failed: {cell.label} on {page_text(cell.page, cell.load)}: {cell.reason}"


def _legend(run: Run) -> list[str]:
    lines = []
    if any(cell.status == "invalid" for cell in run.cells):
        lines.append("?: measured on a disturbed machine or with errors; not ranked")
    if any(cell.generator_bound for cell in run.cells):
        lines.append("≥: the load generator was the limit; a lower bound, not ranked")
    return lines
