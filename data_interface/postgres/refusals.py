"""Translates PostgreSQL's errors into those of the store, by their SQLSTATE.

https://www.postgresql.org/docs/current/errcodes-appendix.html
"""

from __future__ import annotations

import re
from typing import Optional

from data_interface.store import Busy, Refused, StoreError, Unavailable

CONFLICTS = {
    "23503": "The pack still has stickers.",  # foreign_key_violation
    "23505": "Another pack has that title.",  # unique_violation
}
TOO_MANY_CONNECTIONS = "53300"
# Class 28 is invalid authorization, then invalid_catalog_name and insufficient_privilege.
REFUSALS = ("28", "3D000", "42501")
# Class 08 is connection exceptions; class 57 operator intervention, at start and shutdown.
UNAVAILABLE = ("08", "57")

# A failed connect of libpq has no SQLSTATE, only "connection to server ... failed: FATAL:  text".
SERVER_TEXT = re.compile(r"\b[^\s:]+:  (.*)")
TEMPORARY = {
    "too many": TOO_MANY_CONNECTIONS,
    "connection slots are reserved": TOO_MANY_CONNECTIONS,
    "the database system is": "57P03",
    "terminating connection": "57P01",
}
PERMANENT = "28000"

NO_URL = "DATABASE_URL is not the URL of a PostgreSQL server."


def sqlstate(error: BaseException) -> Optional[str]:
    """Return the SQLSTATE of an error; None if the error did not come from PostgreSQL.

    SQLAlchemy's errors carry those of the driver in ``orig``.
    """
    return getattr(getattr(error, "orig", error), "sqlstate", None)


def translated(state: str, message: str) -> StoreError:
    """Return the store's error for a SQLSTATE, with the first line of the message."""
    line = message.partition("\n")[0]
    if state == TOO_MANY_CONNECTIONS:
        return Busy("PostgreSQL has no connection left: raise its max_connections.")
    if state.startswith(REFUSALS):
        return Refused(f"PostgreSQL refuses DATABASE_URL: {line}")
    if state.startswith(UNAVAILABLE):
        return unavailable()
    return StoreError(f"PostgreSQL failed: {line}")


def translated_text(text: str) -> StoreError:
    """Return the store's error for a failed connect of libpq, of which only the text is known.

    A text from the server is a refusal, unless it is one of the temporary ones. Those are known in
    English only.
    """
    found = SERVER_TEXT.search(text)
    if found is None:
        return unavailable()
    states = (state for part, state in TEMPORARY.items() if part in found[1])
    return translated(next(states, PERMANENT), found[1])


def unavailable() -> Unavailable:
    """Return the error for a server that does not answer and for a lost connection."""
    return Unavailable("PostgreSQL does not answer.")
