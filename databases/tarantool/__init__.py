"""Tarantool; a private server is the system's ``tarantool``."""

from __future__ import annotations

from databases.database import Database
from databases.tarantool import server, tcp, wire
from runtime.address import Form

DATABASE = Database(
    "tarantool",
    Form(
        "TARANTOOL_URL",
        ("tarantool",),
        3301,
        "tarantool://user:password@host:port or tarantool:///path/to/socket",
    ),
    server.missing,
    server.version,
    server.start,
    wire.requests,
    start_on_tcp=tcp.start,
    start_away=server.start,
)
