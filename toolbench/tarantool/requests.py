"""The requests of Tarantool's operations, which all three drivers take in the same words.

``select`` reads ``table``: its ``args`` are a limit, and perhaps an index and an iterator.
``upsert`` writes into ``table``: its ``args`` are a row, and the changes if that row exists.
``eval`` has Lua in ``sql``, ``call`` the name of a procedure. ``ping`` has nothing.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from data_interface.tarantool.layout import BY_RATING, DESCENDING, SESSIONS, STICKERS
from toolbench.driver import Call, Operation, Unsupported

SPACES = {"stickers": STICKERS, "sessions": SESSIONS}
INDEXES = {"rating": BY_RATING}
ITERATORS = {"LE": DESCENDING}
ROWLESS = ("upsert", "ping")
"""Kinds whose answer has no rows."""


def request(connection: Any, operation: Operation) -> Call:
    """Return the connection's own method for an operation, with all of its arguments."""
    kind, args = operation.kind, list(operation.args)
    if kind == "select":
        return partial(connection.select, SPACES[operation.table], [], **_selection(args))
    if kind == "upsert":
        return partial(connection.upsert, SPACES[operation.table], *args)
    if kind in ("eval", "call"):
        return partial(getattr(connection, kind), operation.sql, args)
    if kind == "ping":
        return partial(connection.ping)
    raise Unsupported(kind)


def _selection(args: Any) -> dict[str, int]:
    """Return the options of a select; without an index it is in the order of the primary key."""
    limit, *more = args
    if not more:
        return {"limit": limit}
    index, iterator = more
    return {"limit": limit, "index": INDEXES[index], "iterator": ITERATORS[iterator]}
