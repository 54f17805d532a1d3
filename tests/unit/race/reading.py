"""Changing an invented race, and reading its analysis, its page, and what a terminal shows."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace

from msgspec.structs import replace as changed
from rich.console import Console

from race.analysis.model import Analysis, Comparison, ContenderResult
from race.saved.model import Cell
from race.saved.reader import SavedRace
from race.terminal.tables import everything


def altered(race: SavedRace, change: Callable[[Cell], Cell]) -> SavedRace:
    """The race with every measured cell changed."""
    return replace(race, cells=[change(c) if c.count else c for c in race.cells])


def alone(race: SavedRace, *labels: str) -> SavedRace:
    """The race of some of its contenders."""
    return replace(race, cells=[cell for cell in race.cells if cell.label in labels])


def bound(cell: Cell, saturated: str = "nobody", busy: float = 0.81) -> Cell:
    """The cell when its server had time to spare."""
    return changed(cell, saturated=saturated, meters={**cell.meters, "busy": {"server": busy}})


def section(page: str, name: str) -> str:
    """A chapter of a page, with every space a plain one."""
    return (
        page.replace("\u00a0", " ")
        .partition(f'<section id="{name}">')[2]
        .partition("</section>")[0]
    )


def printed(*parts: object, width: int = 80, height: int = 100) -> str:
    """Return what a terminal of this size shows."""
    file = io.StringIO()
    console = Console(file=file, width=width, height=height)
    for part in parts:
        console.print(part)
    return file.getvalue()


def shown(found: Analysis, width: int = 80) -> str:
    """Return what a terminal shows at the end of a race."""
    return printed(*everything(found), width=width)


def comparison_of(analysis: Analysis, page: str, pipeline: int = 1) -> Comparison:
    return next(
        comparison
        for comparison in analysis.comparisons
        if (comparison.work.task, comparison.work.load.pipeline) == (page, pipeline)
    )


def results_of(comparison: Comparison) -> dict[str, ContenderResult]:
    return {item.label: item for item in comparison.results}


def tables(text: str) -> dict[str, list[list[list[str]]]]:
    """The tables below each heading of a Markdown page: rows of cells, the names first."""
    found: dict[str, list[list[list[str]]]] = {}
    for part in text.replace("\\", "").split("\n## ")[1:]:
        heading, *blocks = part.split("\n\n")
        found[heading] = [_cells(block) for block in blocks if block.startswith("|")]
    return found


def _cells(table: str) -> list[list[str]]:
    rows = [row.strip("| ").split(" | ") for row in table.splitlines()]
    return [rows[0], *rows[2:]]
