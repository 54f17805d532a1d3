"""A private MariaDB for programs in any language: on TCP, where its user has a password."""

from __future__ import annotations

import os
from pathlib import Path

from databases.account import account, home_of
from databases.database import Running, TcpEndpoint
from databases.mysql.server import start as start_server

USER = NAME = "app"
# The server runs these lines before it takes connections. Those of the installer's users who could
# come over TCP have no password, so they are removed.
FIRST = """\
DELETE FROM mysql.global_priv WHERE User IN ('', 'root') AND Host <> 'localhost';
FLUSH PRIVILEGES;
CREATE USER IF NOT EXISTS '{user}'@'%' IDENTIFIED BY '{password}';
GRANT ALL ON *.* TO '{user}'@'%' WITH GRANT OPTION;
CREATE DATABASE IF NOT EXISTS {name};
"""


def start(folder: Path, endpoint: TcpEndpoint) -> Running:
    """Start MariaDB on a folder's data at an endpoint. Raises DatabaseError with one line."""
    user = account()
    first = home_of(folder, user) / "first.sql"
    first.write_text(FIRST.format(user=USER, name=NAME, password=endpoint.password))
    first.chmod(0o600)
    if user is not None:
        os.chown(str(first), user.pw_uid, user.pw_gid)
    running = start_server(
        folder,
        {
            "skip_networking": "OFF",
            "bind_address": endpoint.host,
            "port": str(endpoint.port),
            "init_file": str(first),
        },
    )
    return running._replace(url=f"mysql://{USER}:{endpoint.password}@{endpoint}/{NAME}")
