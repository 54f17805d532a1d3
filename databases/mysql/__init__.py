"""MySQL, as MariaDB; a private server is the system's ``mariadbd``."""

from __future__ import annotations

from databases.database import Database
from databases.mysql import server, tcp, wire
from runtime.address import OPTION, Form

DATABASE = Database(
    "mysql",
    Form(
        "MYSQL_URL",
        ("mysql", "mariadb"),
        3306,
        "mysql://user:password@host:port/name or mysql://user@/name?unix_socket=/path",
        socket=OPTION,
    ),
    server.missing,
    server.version,
    server.start,
    wire.requests,
    start_on_tcp=tcp.start,
    start_away=tcp.start,
)
