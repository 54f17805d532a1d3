"""A file of seconds and users, replayed."""

from __future__ import annotations

import csv
import re
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path

from locustfiles.shapes.plan import Field, Plan
from locustfiles.shapes.values import MOST_SECONDS, MOST_USERS, Values, WrongField

FILE = "trace_file"
TRACES = Path(__file__).resolve().parent.parent / "traces"  # of names without a folder
HEAD = ["seconds", "users"]
SHOWN = 20
MOST_BYTES = 2**20

_WHOLE = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True)
class Trace(Plan):
    """From each of `seconds` on, that many users; the last second ends the run."""

    seconds: tuple[int, ...]
    counts: tuple[int, ...]

    FIELDS = (Field(FILE, "day.csv", "CSV of seconds,users; the last line ends the run"),)

    @classmethod
    def parse(cls, values: Values) -> Trace:
        """Return the plan; a mistake names its line."""
        name = values.text(FILE)
        return cls(*zip(*_rows(name, _read(name)), strict=True))

    def users(self, second: int) -> int | None:
        if second >= self.seconds[-1]:
            return None
        return self.counts[bisect_right(self.seconds, second) - 1]


def _read(name: str) -> str:
    path = Path(name)
    try:
        if path.name == name and not path.exists():
            path = TRACES / name
        if not path.is_file():
            raise WrongField(f"{FILE}: {name}: no such file")
        # A file of the kernel has no size and need not end.
        if not 0 < path.stat().st_size <= MOST_BYTES:
            raise WrongField(f"{FILE}: {name}: is empty, or over {MOST_BYTES:,} bytes")
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeError):
        raise WrongField(f"{FILE}: {name}: cannot be read as text in UTF-8") from None


def _rows(name: str, text: str) -> list[tuple[int, int]]:
    """Return the seconds and users of a file, checked."""
    rows: list[tuple[int, int]] = []
    reader = csv.reader(text.splitlines())
    for cells in reader:
        words = [cell.strip() for cell in cells]
        if not any(words) or (reader.line_num == 1 and words == HEAD):
            continue
        problem = _problem(words, rows)
        if problem:
            raise WrongField(f"{FILE}: {name} line {reader.line_num}: {problem}")
        rows.append((int(words[0]), int(words[1])))
    if len(rows) < 2:
        raise WrongField(f"{FILE}: {name}: needs two lines of seconds,users at least")
    return rows


def _problem(words: list[str], rows: list[tuple[int, int]]) -> str | None:
    """Return what is wrong with a line after these rows, or None."""
    if len(words) != 2:
        return f"{len(words)} columns, not two: seconds,users"
    for word, most, what in zip(words, (MOST_SECONDS, MOST_USERS), HEAD, strict=True):
        if not _WHOLE.fullmatch(word) or int(word) > most:
            return f"{word[:SHOWN]!r} is no number of {what}: 0 to {most}"
    second = int(words[0])
    if not rows and second:
        return f"begins at second {second}, not at 0"
    if rows and second <= rows[-1][0]:
        return f"second {second} is not after {rows[-1][0]}"
    return None
