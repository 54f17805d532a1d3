"""Writing what a command was asked for into a file."""

from __future__ import annotations

from pathlib import Path

from race.commands.find import published
from race.errors import RaceError
from runtime.files import write_atomically


def write(path: Path, text: str) -> None:
    """Write it and make the folders on its way; RaceError where that cannot be, or must not."""
    if run := published(path):
        raise RaceError(f"{run} is a published run, which nothing is written into: name another -o")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text.encode())
    except OSError as error:
        raise RaceError(f"cannot write {path}: {error.strerror}") from None
