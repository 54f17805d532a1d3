"""Statements for drivers that write %s where an operation has $1."""

from __future__ import annotations

from typing import Any

from data_interface.sql.placeholders import statement_for
from toolbench.driver import Operation


def percent(operation: Operation) -> tuple[str, list[Any] | None]:
    """Return the statement, and its arguments in the order of its placeholders.

    The arguments are None if there are none: the statement takes none, or takes those of records.
    """
    text, order = statement_for(operation.sql)
    return text, [operation.args[place] for place in order] if operation.args else None
