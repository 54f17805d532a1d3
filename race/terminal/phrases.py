"""Phrases for a terminal: a cell, its figures, a forecast, a time."""

from __future__ import annotations

from datetime import datetime, timedelta

from race.analysis.values import who_was_saturated
from race.plan.forecast import Plan
from race.saved.model import CALIBRATION, Cell, Discipline, Work


def work_text(work: Work) -> str:
    """Return a task with its load: "ugly", "ugly x24", "wide c10", "good 2,000/s"."""
    load = work.load
    text = work.task if load.pipeline == 1 else f"{work.task} x{load.pipeline}"
    text += f" {load.user_load.shape}" if load.user_load else ""
    text += f" c{load.connections}" if load.fixed else ""
    return text if load.rate is None else f"{text} {load.rate:,.0f}/s"


def round_text(number: int, of: int) -> str:
    """Return which round it is: "round 2 of 6"."""
    return "calibration" if number == CALIBRATION else f"round {number} of {of}"


def again_text(cells: int, reason: str) -> str:
    """Return how many cells are measured again, and why."""
    return f"{cells} cell{'s' * (cells != 1)} again: {reason}"


def waiting_text(reason: str, most: float) -> str:
    """Return why the next cell has to wait, and until when at most."""
    end = datetime.now() + timedelta(seconds=most)  # noqa: DTZ005 - a reader's clock
    return f"waiting for a quiet machine until {end:%H:%M:%S} at most: {reason}"


def figures(cell: Cell, discipline: Discipline) -> str:
    """Return a cell's figures; one that does not count has its reason before them."""
    if cell.status == "ok":
        return _raw(cell, discipline)
    why = f"{cell.status.upper()}: {cell.reason}"
    return why if cell.throughput is None else f"{why} ({_raw(cell, discipline)})"


def _raw(cell: Cell, discipline: Discipline) -> str:
    """Return what was measured, without percentiles where they restate the throughput."""
    party = discipline.parties[0]
    parts = [f"{cell.throughput:,.0f} {discipline.unit}/s"]
    shown = () if cell.load.closed else ("p50", "p95") if cell.load.user_load else ("p99",)
    known = [(name, cell.latency_us[name]) for name in shown if name in cell.latency_us]
    parts += [f"{name} {us / 1000:,.1f} ms" for name, us in known]
    if cell.count:
        spent = cell.metered("cpu_ns", party) or 0
        parts.append(f"{spent / cell.count / 1000:,.1f} us CPU")
    if cell.limit != party and cell.load.closed:
        parts.append(f"at least: {who_was_saturated(cell.limit)}")
    return ", ".join(parts)


def forecast_text(plan: Plan) -> str:
    """Return how long a race takes at least: slow contenders may need longer cells."""
    return f"at least {duration(plan.seconds())}"


def duration(seconds: float) -> str:
    """Return a time in two digits: "47 seconds", "4.3 minutes", "16 minutes"."""
    if seconds < 59.5:
        return f"{seconds:.0f} seconds"
    minutes = seconds / 60
    return f"{minutes:.1f} minutes" if minutes < 9.95 else f"{minutes:.0f} minutes"


def time_text(seconds: float) -> str:
    """Return a time as a clock shows it: "4:05", "1:02:00"."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def moment(text: str) -> str:
    """Return an ISO time in local time: "21 Nov 2026 14:05"; another text as it stands."""
    try:
        when = datetime.fromisoformat(text).astimezone()
    except ValueError:
        return text
    return f"{when.day} {when:%b %Y %H:%M}"
