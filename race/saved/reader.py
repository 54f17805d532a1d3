"""Saved results of a race: a folder with run.json and cells.jsonl (format: race/schema.json).

`load` reads a folder into a `Run`. A damaged line of cells.jsonl never hides the others: it becomes
a `Problem` with its line number, and every other line is read.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from race.saved.model import SCHEMA, Cell, Contender, Head, Load, Rejected, Status

__all__ = [
    "CELLS_FILE",
    "RUN_FILE",
    "SCHEMA",
    "Cell",
    "Contender",
    "Head",
    "Load",
    "Problem",
    "Rejected",
    "ResultsError",
    "Run",
    "Status",
    "load",
]

RUN_FILE = "run.json"
CELLS_FILE = "cells.jsonl"


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
class Run:
    """A saved race: its head, the cells that could be read, and the lines that could not."""

    folder: Path
    head: Head
    cells: list[Cell]
    problems: list[Problem]


def load(folder: Path | str) -> Run:
    """Read a results folder.

    Raises ResultsError when the folder or run.json is missing or unreadable; damaged lines of
    cells.jsonl are reported in `Run.problems` instead. No cells.jsonl means no cells yet.
    """
    folder = Path(folder)
    head = _read_head(folder)
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
            cells.append(_read_cell(line))
        except (TypeError, ValueError) as error:
            problems.append(Problem(number, str(error)))
    return Run(folder, head, cells, problems)


def _read_cell(line: bytes) -> Cell:
    try:
        data = json.loads(line, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not valid JSON ({error})") from None
    return Cell.from_json(data)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number of JSON")


def _read_head(folder: Path) -> Head:
    if not folder.is_dir():
        raise ResultsError(f"no results folder '{folder}': name a folder that holds {RUN_FILE}")
    path = folder / RUN_FILE
    try:
        data = json.loads(path.read_bytes())
        return Head.from_json(data)
    except FileNotFoundError:
        raise ResultsError(f"'{folder}' holds no {RUN_FILE}: it is no results folder") from None
    except OSError as error:
        raise ResultsError(f"cannot read {path}: {error.strerror}") from None
    except (TypeError, ValueError) as error:
        raise ResultsError(f"{path} is damaged: {error}") from None
