"""What Tarantool's operations ask for; the three connectors take it in the same words.

``select`` reads ``table``; its ``args`` are a limit, then an index and an iterator where it has
them. ``upsert`` writes into ``table``; its ``args`` are a row and what to do where that is there.
``eval`` has Lua in ``sql``, ``call`` the name of a procedure. ``ping`` has nothing.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from data_interface.tarantool.layout import BY_RATING, DESCENDING, SESSIONS, STICKERS
from runtime.address import Address as Place
from toolbench.driver import Address, Call, Operation, Unsupported

SPACES = {"stickers": STICKERS, "sessions": SESSIONS}
INDEXES = {"rating": BY_RATING}
ITERATORS = {"LE": DESCENDING}
ROWLESS = ("upsert", "ping")
"""Kinds whose answer has no rows."""


def request(connection: Any, operation: Operation) -> Call:
    """One request of a connection: its own method, with all that it is given."""
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
    """The options of a select; without an index it is the primary one's order."""
    limit, *more = args
    if not more:
        return {"limit": limit}
    index, iterator = more
    return {"limit": limit, "index": INDEXES[index], "iterator": ITERATORS[iterator]}


def place(address: Address) -> Place:
    """Where the site's own drivers would connect to."""
    return Place(address.path, address.host, address.port, address.user, address.password)
