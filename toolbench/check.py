"""The comparison of what a driver returned with what is right: each value and its type.

What is right comes from the database's own texts (``reference.py``), never from a driver that is
measured. An encoded value is a pair: a tag, the type that the driver's user gets, and a text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time
from typing import Any, NamedTuple

from race.errors import CellFailed

Texts = Sequence[Sequence[str | None]]
"""Rows of the database's own texts; None is null."""

Encoded = list[Any]
"""A tag and a text; a null has None instead, an array a list of encoded values."""

ARRAY, NULL, BYTES, TEXT = "array", "null", "bytes", "text"
UNDECODED = "undecoded"
"""The tag of a value that a driver gives as the bytes that came: they are not compared."""
BYTES_LIKE = (BYTES, "bytearray", "memoryview")
"""Tags whose texts are hexadecimal digits."""

PARSERS: Mapping[str, Callable[[str], Any]] = {
    "float": float,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "json": json.loads,
}
"""Tags whose values can be written in more than one way, and what parses their texts."""

LONGEST = 40


class Types(NamedTuple):
    """Maps database types to tags: `natural` for every driver, `gives` for one driver by design."""

    natural: Mapping[str, str]
    gives: Mapping[str, str]

    def rows(self, columns: Sequence[tuple[str, str]], texts: Texts) -> list[list[Encoded]]:
        """Return the rows that are right for `columns`, pairs of a name and a database type."""
        kinds = [kind for _, kind in columns]
        return [[self.value(*pair) for pair in zip(kinds, row, strict=True)] for row in texts]

    def value(self, kind: str, text: str | None) -> Encoded:
        """Return the value that is right for a text of the database type `kind`."""
        if text is None:
            return [NULL, None]
        tag = self.gives.get(kind)
        if tag is None and kind.endswith("[]"):
            return [ARRAY, [self.value(kind.removesuffix("[]"), one) for one in elements(text)]]
        natural = self.natural.get(kind, kind)
        tag = tag or natural
        if tag not in BYTES_LIKE:
            return [tag, text]
        return [tag, text.removeprefix("\\x") if natural in BYTES_LIKE else text.encode().hex()]


def elements(text: str) -> list[str | None]:
    """Return the elements of PostgreSQL's text of an array of plain values: `{1,2,NULL}`."""
    inside = text.removeprefix("{").removesuffix("}")
    if any(sign in inside for sign in '{}"\\'):
        raise CellFailed(f"the elements of this array are quoted, or arrays: {text[:LONGEST]}")
    return [None if one == "NULL" else one for one in inside.split(",")] if inside else []


def complaint(who: str, right: Sequence[Sequence[Encoded]], given: Sequence[Any]) -> str | None:
    """Return what is wrong with the rows that a driver gave; None when they are right.

    `who` begins the sentence: "asyncpg, ints".
    """
    if given == right:  # nearly always, and it is fast: there may be thousands of values
        return None
    if len(given) != len(right):
        return f"{who}: {len(given):,} rows where {len(right):,} are right"
    for number, (row, wanted) in enumerate(zip(given, right, strict=True), start=1):
        if len(row) != len(wanted):
            return f"{who}: row {number} has {len(row)} columns where {len(wanted)} are right"
        for place, (value, must) in enumerate(zip(row, wanted, strict=True), start=1):
            if not same(must, value):
                where = f"row {number}, column {place}"
                return f"{who}: {where} is {describe(value)} where {describe(must)} is right"
    return None


def same(right: Encoded, given: Any) -> bool:
    """Return whether the tags are equal, and the values that the texts stand for."""
    if not is_encoded(given):
        return False
    if right[0] != given[0]:
        return bool(right[0] == UNDECODED and given[0] == BYTES)
    tag, value, found = right[0], right[1], given[1]
    if tag == ARRAY:
        return len(value) == len(found) and all(map(same, value, found))
    if tag not in PARSERS or value == found:
        return bool(value == found)
    try:
        return bool(PARSERS[tag](value) == PARSERS[tag](found))
    except (TypeError, ValueError):  # the text is none of that type
        return False


def is_encoded(value: Any) -> bool:
    """Return whether a runner sent a pair of a tag and what belongs to it."""
    if not (isinstance(value, list) and len(value) == 2 and isinstance(value[0], str)):
        return False
    return value[0] != ARRAY or isinstance(value[1], list)


def describe(value: Any) -> str:
    """Return an encoded value in words: "int 4", "text '4'"."""
    if not is_encoded(value):
        return f"no pair of a tag and a text, but {str(value)[:LONGEST]}"
    tag, text = value
    if tag == NULL:
        return NULL
    if tag == ARRAY:
        text = ", ".join(str(one[1] if is_encoded(one) else one) for one in text)
    shown = text if len(str(text)) <= LONGEST else f"{text[:LONGEST]}..."
    return f"{tag} {shown!r}" if tag == TEXT else f"{tag} {shown}"
