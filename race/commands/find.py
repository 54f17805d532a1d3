"""Finds a saved race by what a person types."""

from __future__ import annotations

import contextlib
from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path

from race.errors import RaceError, unknown
from race.paths import PUBLISHED
from race.saved.reader import RUN_FILE, ResultsError, read_head

SAVED_RACE = "a folder or its name, the id that heads a report, or `latest`"
LATEST = "latest"


def one_race(parser: ArgumentParser) -> None:
    """Add the argument RACE."""
    parser.add_argument("race", metavar="RACE", help=SAVED_RACE)


def find(folder: Path, name: str) -> Path:
    """Return the folder of a saved race, by its path or id, or of the latest one."""
    if (Path(name) / RUN_FILE).exists():
        return Path(name)
    races = _in(folder)
    if name == LATEST and races:
        return max(races.values(), key=lambda race: read_head(race).started_at)
    found = known(folder)
    if name == LATEST or not found:
        raise RaceError(f"no saved races in {folder}: `race run` makes one")
    place = found.get(name) or _of_id(found.values(), name)
    if place is None:
        raise unknown("race", name, found)
    return place


def is_saved(folder: Path, name: str) -> bool:
    """Return whether `find` has a race for a name."""
    if name == LATEST or (Path(name) / RUN_FILE).exists():
        return True
    found = known(folder)
    return name in found or _of_id(found.values(), name) is not None


def _of_id(folders: Iterable[Path], name: str) -> Path | None:
    """Return the folder of the race that has this id in its run.json; None if there is none."""
    for folder in folders:
        with contextlib.suppress(ResultsError):
            if read_head(folder).race == name:
                return folder
    return None


def known(folder: Path) -> dict[str, Path]:
    """Return the folder of every race there and of the published ones, by the folder's name."""
    return {**_in(PUBLISHED), **_in(folder)}


def published(path: Path) -> Path | None:
    """Return the published run that a path is or is in; None for any other path."""
    place, root = path.resolve(), PUBLISHED.resolve()
    within = (one for one in (place, *place.parents) if one.is_relative_to(root))
    return next((one for one in within if (one / RUN_FILE).exists()), None)


def _in(folder: Path) -> dict[str, Path]:
    """Return the folder of every race in a folder, by name."""
    return {path.parent.name: path.parent for path in sorted(folder.glob(f"*/{RUN_FILE}"))}
