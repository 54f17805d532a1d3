"""Read the saved results of a race: a folder with run.json and its cells (format: schema.json).

The cells are lines of JSON in cells.jsonl while a race runs, or in cells.jsonl.gz where they were
published (`race.saved.pack`). A damaged line never hides the others: it becomes a `Problem`
with its line number, and every other line is read.
"""

from __future__ import annotations

import errno
import gzip
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from race.saved.head import Head
from race.saved.model import SCHEMA, Cell

RUN_FILE = "run.json"
CELLS_FILE = "cells.jsonl"
PACKED_FILE = f"{CELLS_FILE}.gz"

Record = TypeVar("Record", Cell, Head)


class ResultsError(Exception):
    """A results folder that cannot be read; its text is one line for the person who asked."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A line of cells.jsonl that could not be read; `line` counts from 1."""

    line: int
    message: str

    def __str__(self) -> str:
        return f"{CELLS_FILE} line {self.line}: {self.message}"


@dataclass(frozen=True, slots=True)
class SavedRace:
    """A race on disk: its head, the cells that could be read, and the lines that could not."""

    folder: Path
    head: Head
    cells: list[Cell]
    problems: list[Problem]


def load(folder: Path | str) -> SavedRace:
    """Read a results folder.

    Raises ResultsError when the folder or one of its files cannot be read; damaged lines of cells
    are reported in `SavedRace.problems` instead. A folder without a file of cells has none yet.
    """
    folder = Path(folder)
    head = read_head(folder)
    cells: list[Cell] = []
    problems: list[Problem] = []
    for number, line in enumerate(_cell_lines(folder), start=1):
        if not line.strip():
            continue
        try:
            cells.append(_decoded(line, Cell))
        except ValueError as error:
            problems.append(Problem(number, str(error)))
    return SavedRace(folder, head, cells, problems)


def read_head(folder: Path) -> Head:
    """Read run.json alone; raises ResultsError as `load` does."""
    if not folder.is_dir():
        raise ResultsError(f"no results folder '{folder}': name a folder that holds {RUN_FILE}")
    path = folder / RUN_FILE
    try:
        return _decoded(content(path), Head)
    except FileNotFoundError:
        raise ResultsError(f"'{folder}' holds no {RUN_FILE}: it is no results folder") from None
    except OSError as error:
        raise ResultsError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise ResultsError(f"{path} is damaged: {error}") from None


def _cell_lines(folder: Path) -> list[bytes]:
    """Return the lines of the cells, from the plain file where there is one."""
    path = folder / CELLS_FILE
    try:
        if path.exists():
            raw = content(path)
        elif (path := folder / PACKED_FILE).exists():
            raw = gzip.decompress(content(path))
        else:
            return []
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ResultsError(f"{path} is damaged: {error}") from None
    except OSError as error:
        raise ResultsError(f"cannot read {path}: {error.strerror}") from None
    return raw.splitlines()


def content(path: Path) -> bytes:
    """Return the content of a file; OSError for what would never end, such as a pipe."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is no file")
    return path.read_bytes()


def _decoded(raw: bytes, kind: type[Record]) -> Record:
    """Return the record of a JSON object; raises ValueError with one line of text."""
    try:
        data = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"not valid JSON ({error})") from None
    if not isinstance(data, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004 - the reader's one kind of error
    version = data.get("schema")
    if version != SCHEMA:
        raise ValueError(f"schema version {version!r} is not the one read here: {SCHEMA}")
    return msgspec.convert(data, kind)
