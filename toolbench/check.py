"""Is what a driver gave right? Value by value, types included, before anything is timed.

What is right comes from the database's own texts (``witness.py``), never from a driver under test.
A value of a driver is a pair of a tag, the type that its user gets, and a text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time
from typing import Any, NamedTuple

from race.errors import CellFailed

Texts = Sequence[Sequence[str | None]]
"""Rows of the database's own texts; None is null."""

Tagged = list[Any]
"""A tag and a text; null has None, an array a list of such pairs."""

ARRAY, NULL, BYTES, TEXT = "array", "null", "bytes", "text"
BYTES_LIKE = (BYTES, "bytearray", "memoryview")
"""Tags whose texts are hexadecimal digits."""

MEANT: Mapping[str, Callable[[str], Any]] = {
    "float": float,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "json": json.loads,
}
"""Of tags whose values may be written in more than one way: what a text means."""

LONGEST = 40


class Types(NamedTuple):
    """Which tag a type of the database has: `natural` by nature, `gives` by a driver's design."""

    natural: Mapping[str, str]
    gives: Mapping[str, str]

    def rows(self, columns: Sequence[tuple[str, str]], texts: Texts) -> list[list[Tagged]]:
        """What a driver must give for rows of these `columns` (name, the database's type)."""
        kinds = [kind for _, kind in columns]
        return [[self.value(*pair) for pair in zip(kinds, row, strict=True)] for row in texts]

    def value(self, kind: str, text: str | None) -> Tagged:
        """What it must give for a value of the database's type `kind`."""
        if text is None:
            return [NULL, None]
        tag = self.gives.get(kind)
        if tag is None and kind.endswith("[]"):
            return [ARRAY, [self.value(kind.removesuffix("[]"), one) for one in elements(text)]]
        natural = self.natural.get(kind, kind)
        return [tag or natural, _turned(natural, tag or natural, text)]


def elements(text: str) -> list[str | None]:
    """Of PostgreSQL's text of an array of plain values: `{1,2,NULL}`."""
    inside = text.removeprefix("{").removesuffix("}")
    if any(sign in inside for sign in '{}"\\'):
        raise CellFailed(f"an array of what must be quoted is not read here: {text[:LONGEST]}")
    return [None if one == "NULL" else one for one in inside.split(",")] if inside else []


def _turned(natural: str, tag: str, text: str) -> str:
    """The database's text as a tag has it."""
    if tag not in BYTES_LIKE:
        return text
    return text.removeprefix("\\x") if natural in BYTES_LIKE else text.encode().hex()


def complaint(who: str, right: Sequence[Sequence[Tagged]], given: Sequence[Any]) -> str | None:
    """What is wrong with the rows that a driver gave; None when they are right.

    `who` begins the sentence: "asyncpg, ints".
    """
    if given == right:  # as it nearly always is, and thousands of values are compared at once
        return None
    if len(given) != len(right):
        return f"{who}: {len(given):,} rows where {len(right):,} are right"
    for number, (row, wanted) in enumerate(zip(given, right, strict=True), start=1):
        if len(row) != len(wanted):
            return f"{who}: row {number} has {len(row)} columns where {len(wanted)} are right"
        for place, (value, must) in enumerate(zip(row, wanted, strict=True), start=1):
            if not same(must, value):
                where = f"row {number}, column {place}"
                return f"{who}: {where} is {said(value)} where {said(must)} is right"
    return None


def same(right: Tagged, given: Any) -> bool:
    """Whether tag and value are."""
    if not is_tagged(given):
        return False
    (tag, value), (other, found) = right, given
    if tag != other:
        return False
    if tag == ARRAY:
        return len(value) == len(found) and all(map(same, value, found))
    if tag not in MEANT or value == found:
        return bool(value == found)
    try:
        return bool(MEANT[tag](value) == MEANT[tag](found))
    except (TypeError, ValueError):  # no text of that type at all
        return False


def _inside(tagged: Any) -> str:
    return str(tagged[1] if is_tagged(tagged) else tagged)


def is_tagged(value: Any) -> bool:
    """Whether a runner said it as agreed: a tag and what belongs to it."""
    if not (isinstance(value, list) and len(value) == 2 and isinstance(value[0], str)):
        return False
    return value[0] != ARRAY or isinstance(value[1], list)


def said(tagged: Any) -> str:
    """A value in words: "int 4", "text '4'"."""
    if not is_tagged(tagged):
        return f"no pair of a tag and a text, but {str(tagged)[:LONGEST]}"
    tag, value = tagged
    if tag == NULL:
        return NULL
    shown = ", ".join(map(_inside, value)) if tag == ARRAY else str(value)
    shown = shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}..."
    return f"{tag} {shown!r}" if tag == TEXT else f"{tag} {shown}"
