"""MySQL through aiomysql."""

from __future__ import annotations

from typing import Any

import aiomysql

from data_interface.mysql.driver import MysqlDriver
from data_interface.mysql.store import MysqlStore


def open_store(connection: str, url: str, size: int) -> MysqlStore:
    """The store at a ``mysql://`` URL in one of the modes of ``connections.mode``."""
    return MysqlStore(connection, url, size, AiomysqlDriver)


class AiomysqlDriver(MysqlDriver):
    """How to connect with aiomysql; see ``driver.Driver``."""

    errors = aiomysql.MySQLError
    database_option = "db"
    pool_tells = False

    async def open(self) -> Any:
        """See ``driver.MysqlDriver``."""
        return await aiomysql.connect(**self.options)

    async def make_pool(self, size: int) -> Any:
        """See ``driver.MysqlDriver``."""
        return await aiomysql.create_pool(minsize=size, maxsize=size, **self.options)

    def transport(self, raw: Any) -> Any:
        """See ``driver.MysqlDriver``."""
        return raw._writer and raw._writer.transport  # noqa: SLF001  nothing public tells its end
