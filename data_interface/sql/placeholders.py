"""Translates the placeholders $1, $2 for drivers that use %s."""

from __future__ import annotations

import re
from typing import Dict, List, NamedTuple

PARAMETER = re.compile(r"\$(\d+)")


class Statement(NamedTuple):
    """A statement with %s placeholders, and the argument that each of them takes."""

    text: str
    order: List[int]


_known: Dict[str, Statement] = {}


def statement_for(written: str) -> Statement:
    """Return the statement with %s for $1 and %% for %.

    A statement without parameters stays as it is, since the driver sends it unchanged.
    """
    found = _known.get(written)
    if found is None:
        order = [int(number) - 1 for number in PARAMETER.findall(written)]
        text = PARAMETER.sub("%s", written.replace("%", "%%")) if order else written
        found = _known[written] = Statement(text, order)
    return found
