"""Prints a shape's users in each second as a JSON list, for programs that do not import it.

`python -m locustfiles.shapes.seconds Steps steps_rate=5`; a mistake is one line and status 2.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence

from locustfiles.run.choice import mistake
from locustfiles.shapes import SHAPES
from locustfiles.shapes.plan import adapts, curve, planned
from locustfiles.shapes.totals import Totals

WRONG_USE = 2


def refusal(shape: str, given: Mapping[str, str]) -> str | None:
    """Return why there is no such list, or None if there is one."""
    known = [one.name for one in SHAPES[shape].FIELDS] if shape in SHAPES else []
    strange = [name for name in given if known and name not in known]
    if strange:
        return f"{shape} has no field {strange[0]!r}: choose from {', '.join(known)}"
    wrong = mistake(shape, given) if shape else "no shape"
    if wrong is None and adapts(SHAPES[shape]):
        return f"the users of {shape} depend on the answers: everybody would get another load"
    return wrong


def main(words: Sequence[str]) -> int:
    """Take the name of a shape and its fields; return the exit status."""
    shape, *fields = words or [""]
    given = {name: value for name, _, value in (field.partition("=") for field in fields)}
    if wrong := refusal(shape, given):
        print(wrong, file=sys.stderr)
        return WRONG_USE
    print(json.dumps(curve(planned(SHAPES[shape], given), lambda users: Totals())))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
