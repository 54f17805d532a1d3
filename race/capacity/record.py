"""The record of a search for a capacity: one file, written after each cell."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

from race.saved import record
from race.saved.head import Head
from race.saved.model import Amount, Count, Name, Positive

FILE = "capacity.json"

AT_LEAST: Literal["at least"] = "at least"
NEVER_KEPT: Literal["never kept"] = "never kept"
NEVER_OFFERED: Literal["never offered"] = "never offered"
Outcome = Literal["", "at least", "never kept", "never offered"]


class Promise(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """At most 1 % of requests take longer than `p99_us`; `errors` is the share that may fail."""

    p99_us: Positive
    errors: Annotated[float, Meta(ge=0, lt=1)]


class RateCell(Struct, frozen=True, kw_only=True):
    """A contender under one rate (requests/s) in one life of its process; the life of the bracket,
    whose cells do not count, is 0.

    Of the requests that were `due`, `failed` had an error or no answer, and `late` are those with
    the ones that took longer than promised. `excess` is how many times as many as promised; None if
    the cell says nothing of the contender, and `reason` why. `busy` is the used share of the cores
    of each party.
    """

    label: Name
    task: Name
    life: Count
    rate: Positive
    seconds: Positive
    due: Count = 0
    late: Count = 0
    failed: Count = 0
    p99_us: Amount | None = None
    busy: dict[str, float] = {}
    excess: Amount | None = None
    reason: str = ""


class Ending(Struct, frozen=True, kw_only=True):
    """The end of a search for a contender on a task: its outcome, and the rate that this is about.

    A search that ran out of time has none.
    """

    label: Name
    task: Name
    outcome: Outcome
    rate: Positive


class CapacityRun(Struct, frozen=True, kw_only=True):
    """A search: the head of a race, the promise, the length of cells, and what was measured."""

    head: Head
    promise: Promise
    tasks: list[Name]
    within_s: Positive
    cell_s: Positive
    cells: list[RateCell] = []
    endings: list[Ending] = []


def write(folder: Path, run: CapacityRun) -> None:
    """Save it in a folder. NotSaved if that is not possible."""
    record.write(folder / FILE, run)


def load(folder: Path) -> CapacityRun:
    """Read what was saved. ResultsError if that cannot be read."""
    return record.read(folder / FILE, CapacityRun)
