"""PostgreSQL's refusals in the store's words, by their SQLSTATE.

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
# Class 28, invalid authorization; invalid_catalog_name; insufficient_privilege.
REFUSALS = ("28", "3D000", "42501")
# Class 08, connection exceptions; class 57, operator intervention: it starts or it shuts down.
ABSENCES = ("08", "57")

# libpq tells no SQLSTATE of a connect, only "connection to server ... failed: FATAL:  the text".
SAID_BY_SERVER = re.compile(r"\b[^\s:]+:  (.*)")
SAID_FOR_NOW = {
    "too many": TOO_MANY_CONNECTIONS,
    "connection slots are reserved": TOO_MANY_CONNECTIONS,
    "the database system is": "57P03",
    "terminating connection": "57P01",
}
SAID_FOR_GOOD = "28000"

NO_URL = "DATABASE_URL is not the URL of a PostgreSQL server."


def sqlstate(error: BaseException) -> Optional[str]:
    """The five characters that say what happened; None when PostgreSQL did not say it.

    SQLAlchemy's errors have those of its drivers in ``orig``.
    """
    return getattr(getattr(error, "orig", error), "sqlstate", None)


def translated(state: str, message: str) -> StoreError:
    """The refusal with that SQLSTATE; of the message only its first line, without hints."""
    line = message.partition("\n")[0]
    if state == TOO_MANY_CONNECTIONS:
        return Busy("PostgreSQL has no connection left: raise its max_connections.")
    if state.startswith(REFUSALS):
        return Refused(f"PostgreSQL refuses DATABASE_URL: {line}")
    if state.startswith(ABSENCES):
        return absent()
    return StoreError(f"PostgreSQL failed: {line}")


def translated_text(text: str) -> StoreError:
    """The same where only libpq's text is known: what the server says of a connect refuses it.

    Unless it says that this will pass. Those texts are known in English.
    """
    said = SAID_BY_SERVER.search(text)
    if said is None:
        return absent()
    states = (state for part, state in SAID_FOR_NOW.items() if part in said[1])
    return translated(next(states, SAID_FOR_GOOD), said[1])


def absent() -> Unavailable:
    """It does not answer, or the connection was lost."""
    return Unavailable("PostgreSQL does not answer.")
