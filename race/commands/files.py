"""Files that a command is asked to write."""

from __future__ import annotations

from pathlib import Path

from race.errors import RaceError


def write(path: Path, text: str) -> None:
    """Write it; RaceError in one line where that cannot be."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise RaceError(f"cannot write {path}: {error.strerror}") from None
