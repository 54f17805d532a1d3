"""A series: one scenario run several times, hours apart. Its folder is its state.

Each run is a subfolder. Nothing else is remembered but what was asked for (`Asked`), so a series
goes on after any end with what its folder lacks.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from race.analysis.values import latest_cells
from race.errors import RaceError
from race.run.learned import calibrated
from race.saved.files import make_folder
from race.saved.reader import RUN_FILE, SavedRace, load
from runtime.files import write_atomically

SERIES_FILE = "series.json"
DISTURBED = 0.25
"""The share of cells that the machine spoiled, measured again and still spoiled, from which a run
does not count.
"""
TRIES = 2
"""A series begins at most so many runs for each one that it asks for."""


class Asked(Struct, frozen=True, kw_only=True):
    """The task of a series: the scenario, the number of runs (`times`), the seconds from start to
    start (`every_s`), and the words of the command that runs it once.
    """

    scenario: dict[str, Any]
    times: int
    every_s: float
    command: list[str]


@dataclass(frozen=True)
class Series:
    """A series as its folder shows it now; `runs` in the order of their start."""

    folder: Path
    asked: Asked
    runs: list[SavedRace]

    @property
    def counted(self) -> list[SavedRace]:
        """The runs that were finished and not disturbed."""
        return [run for run in self.runs if run.head.finished_at and not disturbed(run)]

    @property
    def unfinished(self) -> SavedRace | None:
        """The run that was interrupted."""
        return next((run for run in self.runs if not run.head.finished_at), None)

    @property
    def over(self) -> bool:
        """True if no run is missing, or too many were disturbed."""
        if self.unfinished:
            return False
        enough = len(self.counted) >= self.asked.times
        return enough or len(self.runs) >= TRIES * self.asked.times

    @property
    def connections(self) -> Mapping[str, int]:
        """The connections that the first run found; none before it is there."""
        return calibrated(self.counted[0].cells) if self.counted else {}

    def due(self, now: datetime) -> datetime:
        """Return when the next run begins; a clock that was put back makes no wait longer."""
        every = timedelta(seconds=self.asked.every_s)
        started = [datetime.fromisoformat(run.head.started_at) for run in self.runs]
        return min(max(started) + every, now + every) if started else now


def disturbed(run: SavedRace) -> bool:
    """Return whether the machine spoiled so many cells that a run says nothing."""
    cells = latest_cells(run)
    spoiled = sum(cell.status == "invalid" and cell.fault is None for cell in cells)
    return spoiled > DISTURBED * len(cells)


def read(folder: Path) -> Series:
    """Read a series; RaceError if its file is damaged."""
    path = folder / SERIES_FILE
    try:
        asked = msgspec.json.decode(path.read_bytes(), type=Asked)
    except OSError as error:
        raise RaceError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise RaceError(f"{path} is damaged: {error}") from None
    found = (path.parent for path in folder.glob(f"*/{RUN_FILE}"))
    runs = [load(path) for path in found if not path.is_symlink()]  # it may be from elsewhere
    return Series(folder, asked, sorted(runs, key=lambda run: run.head.started_at))


def write(folder: Path, asked: Asked) -> None:
    """Begin a series, or change how often it runs; RaceError if that cannot be saved."""
    try:
        make_folder(folder)
        write_atomically(folder / SERIES_FILE, msgspec.json.encode(asked), follow=False)
    except OSError as error:
        raise RaceError(f"cannot save a series in {folder}: {error.strerror}") from None


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep other harnesses out of a series; RaceError if one has it."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise RaceError(f"{folder.name} is run by another harness: wait for its end") from None
    finally:
        os.close(descriptor)
