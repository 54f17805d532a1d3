"""Records that are written: made here, the same for every driver, from their number alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

FORMS: Mapping[str, Callable[[int], Any]] = {
    "int": lambda number: number,
    "text": lambda number: f"record {number:06d}",
    "float": lambda number: number / 2,
    "bool": lambda number: number % 2 == 0,
    "bytes": lambda number: {"bytes": f"{number:08x}"},
}
"""By the name of a value's kind: JSON, tagged where JSON has no such type."""


def records(form: Sequence[str], count: int) -> list[list[Any]]:
    """`count` records numbered from 1, with a value of each kind of `form`."""
    makers = [FORMS[kind] for kind in form]
    return [[make(number) for make in makers] for number in range(1, count + 1)]
