"""Timeouts of a package: a frozen record that an environment variable may change."""

from __future__ import annotations

import os
import sys
from typing import Any, NoReturn, Type, TypeVar

Record = TypeVar("Record")


def timeouts(kind: Type[Record], variable: str) -> Record:
    """Return a record with its defaults, changed by `variable`, such as `idle=5,request=0.5`.

    `kind` is a NamedTuple whose fields are seconds. A value that cannot be read ends the process
    with status 1 and one line.
    """
    fields: Any = getattr(kind, "_fields", ())
    changes = {}
    for item in filter(None, os.environ.get(variable, "").split(",")):
        name, _, text = (part.strip() for part in item.partition("="))
        if name not in fields:
            _refuse(variable, f"there is no timeout {name!r}; there are {', '.join(fields)}")
        try:
            changes[name] = float(text)
        except ValueError:
            _refuse(variable, f"{name} takes a number of seconds, not {text!r}")
        if not 0 < changes[name] < float("inf"):
            _refuse(variable, f"{name} takes a number of seconds above 0, not {text!r}")
    return kind(**changes)


def _refuse(variable: str, reason: str) -> NoReturn:
    sys.exit(f"{variable}: {reason}")
