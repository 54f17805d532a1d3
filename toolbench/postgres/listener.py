"""A private PostgreSQL that listens on TCP as well, for the length of a race.

It has data of its own beside the site's. Over TCP it takes nobody without a password, which is made
for each race.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping

import psycopg
from psycopg import sql

from databases.database import DatabaseError, TcpEndpoint
from databases.home import folder, remove_socket_folder
from databases.locks import open_lock, try_lock
from databases.postgres import server
from databases.private import forget_settings
from runtime.address import Address
from runtime.listen import free_port
from toolbench.transport import Listener

NAME = "postgres-tcp"
HOST, USER = "127.0.0.1", "postgres"


def start(settings: Mapping[str, str | int]) -> Listener:
    """Start the server; DatabaseError if that fails, or if another race uses it."""
    forget_settings("postgres")
    home = folder(NAME)
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = open_lock(home / "race.lock")
    try:
        if not try_lock(lock):
            raise DatabaseError(f"{home} is used by another race: wait for its end.")
        return _started(lock, {name: str(value) for name, value in settings.items()})
    except BaseException:
        os.close(lock)
        raise


def _started(lock: int, settings: dict[str, str]) -> Listener:
    """Return the server; its end gives up the lock."""
    port, password = free_port(), secrets.token_hex(16)
    running = server.start(folder(NAME), TcpEndpoint(HOST, port, password), settings)
    try:
        with psycopg.connect(running.url, autocommit=True) as connection:
            secret = sql.SQL("alter role {} password {}")
            connection.execute(secret.format(sql.Identifier(USER), sql.Literal(password)))
    except psycopg.Error as error:
        running.stop()
        raise DatabaseError(f"PostgreSQL on TCP: {' '.join(str(error).split())}") from None

    def leave() -> None:
        running.stop()
        remove_socket_folder(folder(NAME))
        os.close(lock)

    tcp = Address(None, HOST, port, USER, password, "postgres")
    return Listener(running.url, running.pid, tcp, leave)
