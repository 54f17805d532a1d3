"""Databases: how to start a private one, where each listens, how to read what it is asked.

A new database is one folder and one line in ``DATABASES``. Nothing here knows what is stored.
"""

from __future__ import annotations

from databases.database import Database, DatabaseError
from runtime.plugin import Plugin

DATABASES = {
    "postgres": Plugin("databases.postgres:DATABASE"),
    "tarantool": Plugin("databases.tarantool:DATABASE"),
    "mysql": Plugin("databases.mysql:DATABASE"),
    "valkey": Plugin("databases.valkey:DATABASE"),
    "sqlite": Plugin("databases.sqlite:DATABASE"),
}


def find(name: str) -> Database:
    """Return the database of that name, or raise DatabaseError."""
    if name not in DATABASES:
        known = ", ".join(DATABASES)
        raise DatabaseError(f"There is no database {name!r}, only {known}.")
    found: Database = DATABASES[name].load()
    return found
