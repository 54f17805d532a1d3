"""MySQL, as MariaDB; a private server is the system's ``mariadbd``."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator, Optional

from databases.database import Database, Frame, Running
from databases.mysql import server, wire
from runtime.address import OPTION, Form


class Mysql(Database):
    """MariaDB, under the name of its protocol."""

    name = "mysql"
    form = Form(
        "MYSQL_URL",
        ("mysql", "mariadb"),
        3306,
        "mysql://user:password@host:port/name or mysql://user@/name?unix_socket=/path",
        socket=OPTION,
    )

    def missing(self) -> Optional[str]:
        lacking = [name for name in server.PROGRAMS if server.program(name) is None]
        if not lacking:
            return None
        return f"no {lacking[0]}: make system, or apt-get install {server.PACKAGES}"

    def version(self) -> Optional[str]:
        return server.version()

    def start(self, home: Path) -> Running:
        return server.start(home)

    def requests(self, buffer: bytearray) -> Iterator[Frame]:
        return wire.requests(buffer)


DATABASE = Mysql()
