"""A cell and its figures in a phrase."""

from __future__ import annotations

from race.saved.model import CALIBRATION, Cell, Discipline, Work


def work_text(work: Work) -> str:
    """A task with what is special about its load: "ugly", "ugly x24", "good 2,000/s"."""
    load = work.load
    text = work.task if load.pipeline == 1 else f"{work.task} x{load.pipeline}"
    return text if load.rate is None else f"{text} {load.rate:,.0f}/s"


def round_text(number: int, of: int) -> str:
    """Which round: "round 2 of 6"."""
    return "calibration" if number == CALIBRATION else f"round {number} of {of}"


def again_text(cells: int, reason: str) -> str:
    """Cells that are measured again, and why."""
    return f"{cells} cell{'s' * (cells != 1)} again: {reason}"


def figures(cell: Cell, discipline: Discipline) -> str:
    """One cell in a phrase; one whose figures say nothing has its reason."""
    if cell.throughput is None or cell.status in ("failed", "overloaded"):
        return f"{cell.status.upper()}: {cell.reason}"
    text = f"{cell.throughput:,.0f} {discipline.unit}/s"
    if "p99" in cell.latency_us:
        text += f", p99 {cell.latency_us['p99'] / 1000:,.1f} ms"
    if cell.count:
        spent = cell.metered("cpu_ns", discipline.parties[0]) or 0
        text += f", {spent / cell.count / 1000:,.1f} us CPU"
    if cell.full == "generator":
        text += ", at least: the generator was the limit"
    return text + (f" INVALID: {cell.reason}" if cell.status == "invalid" else "")
