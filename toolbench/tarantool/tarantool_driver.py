"""tarantool, the official connector: it blocks, and carries one request at a time."""

from __future__ import annotations

from typing import Any, Callable

from tarantool.connection import Connection

from toolbench.driver import Address, Operation, Options
from toolbench.tarantool.requests import ROWLESS, request

OPEN_SECONDS = 5.0


class Tarantool:
    """``driver.Driver``."""

    BLOCKING = True
    SHARED = False

    def __init__(self, address: Address, options: Options) -> None:
        self._address = address

    def connect(self) -> Any:
        """See ``Driver``."""
        where = self._address
        host, port = (None, where.path) if where.path else (where.host, where.port)
        return Connection(
            host,
            port,
            user=where.user,
            password=where.password,
            connection_timeout=OPEN_SECONDS,
        )

    def close(self, connection: Any) -> None:
        """See ``Driver``."""
        connection.close()

    def bind(self, connection: Any, operation: Operation) -> Callable[[], Any]:
        """See ``Driver``."""
        send = request(connection, operation)
        if operation.kind in ROWLESS:
            return send
        return lambda: send().data
