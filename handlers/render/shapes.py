"""From a template to a ``%`` format of bytes: rendered with marks, which become conversions.

A field is ``name`` (bytes) or ``name:d`` (a number, shown with its sign where the template does).
"""

from __future__ import annotations

import re
from typing import Any, Dict, List, Match, Tuple

# Plus a field's place, it stands for a number.
MARKED_NUMBER = 7_361_946_028_000_000


def marks(fields: str) -> Dict[str, Any]:
    """For each field what stands for it until a request fills it in."""
    pairs = [field.partition(":") for field in fields.split()]
    return {
        name: MARKED_NUMBER + place if kind else f"\x02{name}\x03"
        for place, (name, _, kind) in enumerate(pairs)
    }


def shape(html: str, fields: str) -> bytes:
    """A format of bytes that takes ``fields`` in this order, from HTML with their ``marks``.

    A ValueError says when the HTML has other fields or another order.
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
    """What is before, in and after a loop: from HTML where it ran never and where it ran once.

    Where the loop's text begins as what follows it does, all three are turned round by that much;
    put together, for any number of turns, they are the same.
    """
    pairs = enumerate(zip(without, with_one))
    start = next((place for place, (one, other) in pairs if one != other), len(without))
    after = without[start:]
    return without[:start], with_one[start : len(with_one) - len(after)], after
