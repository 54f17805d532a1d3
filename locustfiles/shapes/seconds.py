"""A shape's users in each second, for programs that do not import it.

``python -m locustfiles.shapes.seconds Steps steps_rate=5`` prints them as a JSON list; a mistake is
one line and status 2.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence

from locustfiles.run.choice import mistake
from locustfiles.shapes import SHAPES
from locustfiles.shapes.drawing import curve
from locustfiles.shapes.load import Load
from locustfiles.shapes.plan import Plan, planned

WRONG_USE = 2


def unfit(shape: str, given: Mapping[str, str]) -> str | None:
    """Why there is no such list; None where there is one."""
    known = [one.name for one in SHAPES[shape].FIELDS] if shape in SHAPES else []
    strange = [name for name in given if known and name not in known]
    if strange:
        return f"{shape} has no field {strange[0]!r}: choose from {', '.join(known)}"
    wrong = mistake(shape, given) if shape else "no shape"
    if wrong is None and SHAPES[shape].look is not Plan.look:
        return f"the users of {shape} depend on the answers: everybody would get another load"
    return wrong


def main(words: Sequence[str]) -> int:
    """The name of a shape, then its fields."""
    shape, *fields = words or [""]
    given = {name: value for name, _, value in (field.partition("=") for field in fields)}
    if wrong := unfit(shape, given):
        print(wrong, file=sys.stderr)
        return WRONG_USE
    print(json.dumps(curve(planned(SHAPES[shape], given), lambda users: Load())))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
