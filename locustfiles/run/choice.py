"""Checks the shape and the fields that a person chose, before anything starts."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Mapping
from typing import Any, NoReturn

from locustfiles.run.site import problem
from locustfiles.shapes import SHAPES
from locustfiles.shapes.plan import planned
from locustfiles.shapes.values import WrongField


def mistake(shape: str, filled: Mapping[str, Any]) -> str | None:
    """Return what is wrong with a shape ("" for none) or its fields; None if nothing is."""
    if not shape:
        return None
    if shape not in SHAPES:
        near = difflib.get_close_matches(shape, SHAPES, 1)
        remedy = f"did you mean {near[0]!r}?" if near else f"choose from {', '.join(SHAPES)}"
        return f"unknown shape {shape!r}: {remedy}"
    kind = SHAPES[shape]
    try:
        planned(kind, {one.name: filled[one.name] for one in kind.FIELDS if one.name in filled})
    except WrongField as error:
        return str(error)
    return None


def obstacle(shape: str, filled: Mapping[str, Any]) -> str | None:
    """Return why a run cannot begin: a mistake, or no site at `host`; None if it can."""
    return mistake(shape, filled) or problem(filled.get("host") or "", path_of(filled))


def path_of(filled: Mapping[str, Any]) -> str:
    """Return a path of the application that users were started for; "" for the site."""
    return next(iter(filled.get("path") or ()), "")


def say(line: str) -> None:
    """Print a line to the person at the terminal."""
    print(line, file=sys.stderr, flush=True)


def refuse(line: str, status: int) -> NoReturn:
    """End the program before anything begins."""
    say(f"locustfile: {line}")
    sys.exit(status)
