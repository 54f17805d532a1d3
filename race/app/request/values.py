"""Draws the values of requests from ranges, choices and columns of CSV files."""

from __future__ import annotations

import csv
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from race.errors import RaceError

SEED = 20170501

RANGE = r"\{(-?\d+)\.\.(-?\d+)\}"
CHOICE = r"\{([^{}|\"]*(?:\|[^{}|\"]*)+)\}"
COLUMN = r"\{([^{}:|\"]+\.csv):([^{}|\"]+)\}"
VALUE = re.compile(f"{RANGE}|{CHOICE}|{COLUMN}")


@dataclass
class Values:
    """Draws values; all columns of a CSV file in one request come from one row of it."""

    folder: Path
    chance: random.Random = field(default_factory=lambda: random.Random(SEED))  # noqa: S311 - no secret
    _tables: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    _rows: dict[str, dict[str, str]] = field(default_factory=dict)
    _files: dict[str, bytes] = field(default_factory=dict)

    def next_request(self) -> None:
        """Take other rows of all files from now on."""
        self._rows.clear()

    def filled(self, text: str, quoted: Callable[[str], str] = str) -> str:
        """Return a text with values in place of what stands for them."""
        return VALUE.sub(lambda match: quoted(self._value(match)), text)

    def in_json(self, data: Any) -> Any:
        """Return JSON with values; a text that is only a range becomes a number."""
        if isinstance(data, dict):
            return {self.filled(key): self.in_json(value) for key, value in data.items()}
        if isinstance(data, list):
            return [self.in_json(one) for one in data]
        if not isinstance(data, str):
            return data
        text = self.filled(data)
        return int(text) if re.fullmatch(RANGE, data) else text

    def file(self, name: str) -> bytes:
        """Return the content of a file. RaceError if it cannot be read."""
        if name not in self._files:
            try:
                self._files[name] = (self.folder / name).read_bytes()
            except OSError as error:
                raise RaceError(f"cannot read {self.folder / name}: {error.strerror}") from None
        return self._files[name]

    def _value(self, match: re.Match[str]) -> str:
        low, high, choices, file, column = match.groups()
        if low is not None:
            if int(low) > int(high):
                raise RaceError(f"{match[0]} is no range: the smaller number comes first")
            return str(self.chance.randint(int(low), int(high)))
        if choices is not None:
            return str(self.chance.choice(choices.split("|")))
        row = self._row(file)
        if column not in row:
            raise RaceError(f"{file} has no column {column!r}: it has {', '.join(row)}")
        return row[column]

    def _row(self, name: str) -> dict[str, str]:
        if name not in self._tables:
            self._tables[name] = rows(self.folder / name)
        if name not in self._rows:
            self._rows[name] = self.chance.choice(self._tables[name])
        return self._rows[name]


def rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file with a line of names. RaceError if it has none."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            read = list(csv.DictReader(file, restval=""))
    except OSError as error:
        raise RaceError(f"cannot read {path}: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise RaceError(f"{path}: {error}") from None
    if not read:
        raise RaceError(f"{path} needs a line of names and a row of values at least")
    # A row that is longer than the line of names has the rest under None.
    return [{name: text for name, text in row.items() if name is not None} for row in read]
