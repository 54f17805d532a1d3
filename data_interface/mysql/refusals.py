"""MariaDB's refusals in the store's words, by their numbers.

https://mariadb.com/kb/en/mariadb-error-code-reference/
"""

from __future__ import annotations

from typing import Optional

from data_interface.store import Busy, Refused, StoreError, Unavailable

CONFLICTS = {
    1451: "The pack still has stickers.",  # ER_ROW_IS_REFERENCED_2
    1062: "Another pack has that title.",  # ER_DUP_ENTRY
}
# Of the server, of all of a user's.
TOO_MANY_CONNECTIONS = (1040, 1203, 1226)
# Out of memory; a lock that did not come in time; a deadlock, of which this was the victim.
CROWDED = (1041, 1205, 1213)
# Access denied to a database, by password, by plugin; unknown database; a host that may not; a
# command, a routine or an object that the user may not.
REFUSALS = (1044, 1045, 1049, 1130, 1142, 1143, 1227, 1251, 1370, 1410, 1698, 2059)
# The server stops, or ends the connection or the request; nobody listens, nobody answers.
ABSENCES = (1053, 1158, 1159, 1160, 1161, 1317, 1927, 2002, 2003, 2006, 2013, 2055, 4031)

NO_URL = "MYSQL_URL is not the URL of a MariaDB server."


def number(error: BaseException) -> Optional[int]:
    """What happened, by its number; None where the driver gives none."""
    first = error.args[0] if error.args else None
    return first if isinstance(first, int) else None


def translated(error: BaseException) -> StoreError:
    """What the driver raised, by its number; of the text only its first line."""
    found = number(error)
    line = str(error.args[1] if len(error.args) > 1 else error).partition("\n")[0]
    if found in TOO_MANY_CONNECTIONS:
        return Busy("MariaDB has no connection left: raise its max_connections.")
    if found in CROWDED:
        return Busy(f"MariaDB is too busy: {line}")
    if found in REFUSALS:
        return Refused(f"MariaDB refuses MYSQL_URL: {line}")
    # A driver that knows no number says so of a connection that is closed.
    if found in ABSENCES or not found:
        return absent()
    return StoreError(f"MariaDB failed: {line}")


def absent() -> Unavailable:
    """It does not answer, or the connection was lost."""
    return Unavailable("MariaDB does not answer.")
