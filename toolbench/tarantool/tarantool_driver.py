"""tarantool, the official connector: it blocks, and carries one request at a time."""

from __future__ import annotations

from typing import Any

from tarantool.connection import Connection

from runtime.address import Address
from toolbench.driver import Call, Operation, Options
from toolbench.tarantool.requests import ROWLESS, request
from toolbench.timeouts import TIMEOUTS


class TarantoolConnector:
    """The connector of Tarantool; without a host, its port is the path of a Unix socket."""

    BLOCKING = True
    SHARED = False

    def __init__(self, address: Address, options: Options) -> None:
        self._options = {
            "host": None if address.path else address.host,
            "port": address.path or address.port,
            "user": address.user,
            "password": address.password,
            "connection_timeout": TIMEOUTS.connect,
        }

    def connect(self) -> Any:
        return Connection(**self._options)

    def close(self, connection: Any) -> None:
        connection.close()

    def bind(self, connection: Any, operation: Operation) -> Call:
        send = request(connection, operation)
        if operation.kind in ROWLESS:
            return send
        return lambda: send().data
