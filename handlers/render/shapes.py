"""``%`` formats of bytes, made by rendering a template with marks in place of its values.

A field is ``name`` (bytes) or ``name:d`` (a number, with its sign where the template shows it).
"""

from __future__ import annotations

import re
from typing import Any, Dict, List, Match, Tuple

# The mark of a number is this plus its place among the fields.
MARKED_NUMBER = 7_361_946_028_000_000


def marks(fields: str) -> Dict[str, Any]:
    """Return the mark of each field."""
    pairs = [field.partition(":") for field in fields.split()]
    return {
        name: MARKED_NUMBER + place if kind else f"\x02{name}\x03"
        for place, (name, _, kind) in enumerate(pairs)
    }


def shape(html: str, fields: str) -> bytes:
    """Return the format that takes ``fields`` in this order, from HTML with their marks.

    Raise ValueError if the HTML has other fields or another order.
    """
    names = {str(mark): name for name, mark in marks(fields).items()}
    found: List[str] = []

    def conversion(match: Match[str]) -> str:
        sign, mark = match.groups()
        found.append(names[mark])
        return f"%{sign}d" if mark.isdigit() else f"{sign}%s"

    any_mark = r"(\+?)(" + "|".join(map(re.escape, names)) + ")"
    text = re.sub(any_mark, conversion, html.replace("%", "%%"))
    wanted = [field.partition(":")[0] for field in fields.split()]
    if found != wanted:
        raise ValueError(f"the template has the fields {found}, not {wanted}")
    return text.encode()


def cut(without: str, with_one: str) -> Tuple[str, str, str]:
    """Return the text before, in and after a loop, given the HTML of an empty loop and of one item.

    If the loop's text and the text behind it begin alike, that beginning moves from the loop into
    the text before it, and the whole for any number of items stays the same.
    """
    pairs = enumerate(zip(without, with_one))
    start = next((place for place, (one, other) in pairs if one != other), len(without))
    after = without[start:]
    return without[:start], with_one[start : len(with_one) - len(after)], after
