"""MySQL through aiomysql."""

from __future__ import annotations

from typing import Any

import aiomysql

from data_interface.mysql.driver import MysqlDriver
from data_interface.mysql.store import MysqlStore

# ``_writer`` is private: nothing public shows whether the server has closed a connection.
CHECKED_VERSIONS = {"aiomysql": ("0.2.0", "0.3.2")}


def open_store(connection: str, url: str, size: int) -> MysqlStore:
    """Return the store at a ``mysql://`` URL in one of the connection modes."""
    return MysqlStore(connection, url, size, AiomysqlDriver)


class AiomysqlDriver(MysqlDriver):
    """The driver aiomysql, for the connection modes."""

    errors = aiomysql.MySQLError
    database_option = "db"
    wakes_waiters = False

    async def open(self) -> Any:
        return await aiomysql.connect(**self.options)

    async def make_pool(self, size: int) -> Any:
        return await aiomysql.create_pool(minsize=size, maxsize=size, **self.options)

    def transport(self, raw: Any) -> Any:
        return raw._writer and raw._writer.transport  # noqa: SLF001  see above
