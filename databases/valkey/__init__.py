"""Valkey and Redis; a private server is the system's ``valkey-server`` or ``redis-server``."""

from __future__ import annotations

from databases.database import Database
from databases.valkey import server, wire
from runtime.address import Form

DATABASE = Database(
    "valkey",
    Form(
        "VALKEY_URL",
        ("valkey", "redis"),
        6379,
        "valkey://user:password@host:port/0 or valkey:///path/to/socket",
    ),
    server.missing,
    server.version,
    server.start,
    wire.requests,
    start_away=server.start,
)
