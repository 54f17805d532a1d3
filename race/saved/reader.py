"""Saved results of a race: a folder with run.json and cells.jsonl (format: schema.json).

`load` reads a folder of this version or an older one. A damaged line of cells.jsonl never hides the
others: it becomes a `Problem` with its line number, and every other line is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from race.saved import version1
from race.saved.model import SCHEMA, Cell, Head

RUN_FILE = "run.json"
CELLS_FILE = "cells.jsonl"

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

    Raises ResultsError when the folder or run.json is missing or unreadable; damaged lines of
    cells.jsonl are reported in `SavedRace.problems` instead. No cells.jsonl means no cells yet.
    """
    folder = Path(folder)
    head = read_head(folder)
    try:
        raw = (folder / CELLS_FILE).read_bytes()
    except FileNotFoundError:
        raw = b""
    except OSError as error:
        raise ResultsError(f"cannot read {folder / CELLS_FILE}: {error.strerror}") from None
    cells: list[Cell] = []
    problems: list[Problem] = []
    for number, line in enumerate(raw.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            cells.append(_decoded(line, Cell, version1.cell))
        except ValueError as error:
            problems.append(Problem(number, str(error)))
    return SavedRace(folder, head, cells, problems)


def read_head(folder: Path) -> Head:
    """The head alone; ResultsError as for `load`."""
    if not folder.is_dir():
        raise ResultsError(f"no results folder '{folder}': name a folder that holds {RUN_FILE}")
    path = folder / RUN_FILE
    try:
        return _decoded(path.read_bytes(), Head, version1.head)
    except FileNotFoundError:
        raise ResultsError(f"'{folder}' holds no {RUN_FILE}: it is no results folder") from None
    except OSError as error:
        raise ResultsError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise ResultsError(f"{path} is damaged: {error}") from None


def version_of(folder: Path) -> int:
    """Which version of the schema run.json is of; call it for a folder that was read."""
    found: int = msgspec.json.decode((folder / RUN_FILE).read_bytes())["schema"]
    return found


def _decoded(
    raw: bytes, kind: type[Record], upgrade: Callable[[Mapping[str, Any]], dict[str, Any]]
) -> Record:
    """A record from its JSON; ValueError in one line. What is of version 1 is upgraded first."""
    try:
        data = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"not valid JSON ({error})") from None
    if not isinstance(data, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004 - the reader's one kind of error
    version = data.get("schema")
    if version not in (1, SCHEMA):
        raise ValueError(f"schema version {version!r} is not one read here: 1 or {SCHEMA}")
    return msgspec.convert(upgrade(data) if version == 1 else data, kind)
