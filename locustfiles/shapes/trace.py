"""A file of seconds and users, replayed."""

from __future__ import annotations

import csv
import re
from bisect import bisect_right
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

from locustfiles.shapes.plan import Field, ShapePlan
from locustfiles.shapes.values import MOST_SECONDS, MOST_USERS, WrongField

FILE = "trace_file"
TRACES = Path(__file__).resolve().parent.parent / "traces"  # of names without a folder
HEAD = ["seconds", "users"]
SHOWN = 20
MOST_BYTES = 2**20

_WHOLE = re.compile(r"[0-9]{1,9}")


def read_rows(field: str, name: str) -> tuple[tuple[int, int], ...]:
    """Return the seconds and users of a file, checked; a mistake names its line."""
    found: list[tuple[int, int]] = []
    reader = csv.reader(_read(name).splitlines())
    for cells in reader:
        words = [cell.strip() for cell in cells]
        if not any(words) or (reader.line_num == 1 and words == HEAD):
            continue
        problem = _problem(words, found)
        if problem:
            raise WrongField(f"{FILE}: {name} line {reader.line_num}: {problem}")
        found.append((int(words[0]), int(words[1])))
    if len(found) < 2:
        raise WrongField(f"{FILE}: {name}: needs two lines of seconds,users at least")
    return tuple(found)


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


@dataclass(frozen=True)
class Trace(ShapePlan):
    """A shape that reads the number of users from rows of seconds; the last second ends the run."""

    rows: tuple[tuple[int, int], ...]

    FIELDS = (
        Field(FILE, "day.csv", "CSV of seconds,users; the last line ends the run", read_rows),
    )

    def users(self, second: int) -> int | None:
        if second >= self.rows[-1][0]:
            return None
        return self.rows[bisect_right(self.rows, second, key=itemgetter(0)) - 1][1]
