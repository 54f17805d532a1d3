"""tarantool, the official connector: it blocks, and carries one request at a time."""

from __future__ import annotations

from typing import Any

from tarantool.connection import Connection

from toolbench.driver import Address, Call, Operation, Options
from toolbench.tarantool.requests import ROWLESS, request

OPEN_SECONDS = 5.0


class Tarantool:
    """See ``driver.Driver``."""

    BLOCKING = True
    SHARED = False

    def __init__(self, address: Address, options: Options) -> None:
        self._where = {
            # Without a host the port is the path of a Unix socket.
            "host": None if address.path else address.host,
            "port": address.path or address.port,
            "user": address.user,
            "password": address.password,
            "connection_timeout": OPEN_SECONDS,
        }

    def connect(self) -> Any:
        """See ``driver.Driver``."""
        return Connection(**self._where)

    def close(self, connection: Any) -> None:
        """See ``driver.Driver``."""
        connection.close()

    def bind(self, connection: Any, operation: Operation) -> Call:
        """See ``driver.Driver``."""
        send = request(connection, operation)
        if operation.kind in ROWLESS:
            return send
        return lambda: send().data
