"""Finding a saved race by what a person types."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from race.errors import RaceError, unknown
from race.saved.reader import RUN_FILE, read_head

SAVED_RACE = "an id, a folder, or `latest`"


def one_race(parser: ArgumentParser) -> None:
    """The argument RACE."""
    parser.add_argument("race", metavar="RACE", help=SAVED_RACE)


def find(folder: Path, name: str) -> Path:
    """The folder of a saved race: by id, by path, or the one that began last."""
    if Path(name).is_dir() and (Path(name) / RUN_FILE).exists():
        return Path(name)
    races = sorted(path.parent.name for path in folder.glob(f"*/{RUN_FILE}"))
    if name == "latest" and races:
        return folder / max(races, key=lambda race: read_head(folder / race).started_at)
    if name not in races:
        raise unknown("race", name, races) if races else RaceError(f"no saved races in {folder}")
    return folder / name
