"""Translates MariaDB's errors into those of the store, by their numbers.

https://mariadb.com/kb/en/mariadb-error-code-reference/
"""

from __future__ import annotations

from typing import Optional

from data_interface.store import Busy, Refused, StoreError, Unavailable

CONFLICTS = {
    1451: "The pack still has stickers.",  # ER_ROW_IS_REFERENCED_2
    1062: "Another pack has that title.",  # ER_DUP_ENTRY
}
# ER_CON_COUNT_ERROR, ER_TOO_MANY_USER_CONNECTIONS, ER_USER_LIMIT_REACHED.
TOO_MANY_CONNECTIONS = (1040, 1203, 1226)
# Out of memory; the wait for a lock took too long; a deadlock that this request had to resolve.
TOO_BUSY = (1041, 1205, 1213)
# Access denied (to a database, by the password, by a plugin, from this host, to a command, routine
# or object), and an unknown database.
REFUSALS = (1044, 1045, 1049, 1130, 1142, 1143, 1227, 1251, 1370, 1410, 1698, 2059)
# The server shuts down, ends the connection or the request, cannot be reached, or does not answer.
UNAVAILABLE = (1053, 1158, 1159, 1160, 1161, 1317, 1927, 2002, 2003, 2006, 2013, 2055, 4031)

NO_URL = "MYSQL_URL is not the URL of a MariaDB server."


def number(error: BaseException) -> Optional[int]:
    """Return the number of an error; None if it has none."""
    first = error.args[0] if error.args else None
    return first if isinstance(first, int) else None


def translated(error: BaseException) -> StoreError:
    """Return the store's error for one of the driver's, with the first line of its text."""
    found = number(error)
    line = str(error.args[1] if len(error.args) > 1 else error).partition("\n")[0]
    if found in TOO_MANY_CONNECTIONS:
        return Busy("MariaDB has no connection left: raise its max_connections.")
    if found in TOO_BUSY:
        return Busy(f"MariaDB is too busy: {line}")
    if found in REFUSALS:
        return Refused(f"MariaDB refuses MYSQL_URL: {line}")
    # Errors without a number are about closed connections.
    if found in UNAVAILABLE or not found:
        return unavailable()
    return StoreError(f"MariaDB failed: {line}")


def unavailable() -> Unavailable:
    """Return the error for a server that does not answer and for a lost connection."""
    return Unavailable("MariaDB does not answer.")
