"""The statements' $1, $2 for drivers that write %s."""

from __future__ import annotations

import re
from typing import Dict, List, NamedTuple

PARAMETER = re.compile(r"\$(\d+)")


class Statement(NamedTuple):
    """A statement with %s for its parameters, and which arguments they take, in order."""

    text: str
    order: List[int]


_known: Dict[str, Statement] = {}


def statement_for(written: str) -> Statement:
    """%s for $1 and %% for %; without parameters the driver sends a statement as it is."""
    found = _known.get(written)
    if found is None:
        order = [int(number) - 1 for number in PARAMETER.findall(written)]
        text = PARAMETER.sub("%s", written.replace("%", "%%")) if order else written
        found = _known[written] = Statement(text, order)
    return found
