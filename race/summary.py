"""The table at the end of a race: engines by pages, in requests per second."""

from __future__ import annotations

from rich import box
from rich.table import Table
from rich.text import Text

from race.board import page_text
from race.judgement import median
from race.records import Cell
from race.results import Run
from race.rounds import Key


def matrix(run: Run) -> Table:
    """Medians over all valid cells; `?` marks invalid ones, which are ranked nowhere.

    A cell that failed in every round is shown as failed, and its reason below the table.
    """
    keys = sorted({Key(cell.page, cell.load) for cell in run.cells}, key=lambda key: key.order)
    closed = [key for key in keys if key.load.rate is None]
    table = Table(title="requests per second", title_justify="left", caption_justify="left",
                  padding=(0, 0, 0, 1), box=box.SIMPLE_HEAD)  # fmt: skip
    table.add_column("engine", no_wrap=True)
    for key in closed:
        table.add_column(page_text(key.page, key.load.pipeline), justify="right")
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
    table.caption = "\n".join([*reasons, *_legend(run)]) or None
    return table


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
    return f"failed: {cell.label} on {page_text(cell.page, cell.load.pipeline)}: {cell.reason}"


def _legend(run: Run) -> list[str]:
    lines = []
    if any(cell.status == "invalid" for cell in run.cells):
        lines.append("?: measured on a disturbed machine or with errors; not ranked")
    if any(cell.generator_bound for cell in run.cells):
        lines.append("≥: the load generator was the limit; a lower bound, not ranked")
    return lines
