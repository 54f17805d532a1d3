"""Results that are one file of JSON beside a race: written as a whole, read as a whole."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from race.errors import NotSaved
from race.saved.files import make_folder
from race.saved.reader import ResultsError, content
from runtime.files import write_atomically

Record = TypeVar("Record")


def write(path: Path, record: msgspec.Struct) -> None:
    """Save a record, and make its folder where there is none. NotSaved if that is not possible."""
    try:
        make_folder(path.parent)
        write_atomically(path, msgspec.json.encode(record) + b"\n", follow=False)
    except OSError as error:
        raise NotSaved(f"cannot save results in {path.parent}: {error.strerror}") from None


def read(path: Path, kind: type[Record]) -> Record:
    """Return the record of a file. ResultsError if it cannot be read, or is damaged."""
    try:
        return msgspec.json.decode(content(path), type=kind)
    except OSError as error:
        raise ResultsError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise ResultsError(f"{path} is damaged: {error}") from None
