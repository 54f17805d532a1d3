"""MySQL through asyncmy."""

from __future__ import annotations

from typing import Any

import asyncmy

from data_interface.mysql.driver import MysqlDriver
from data_interface.mysql.store import MysqlStore


def open_store(connection: str, url: str, size: int) -> MysqlStore:
    """The store at a ``mysql://`` URL in one of the modes of ``connections.mode``."""
    return MysqlStore(connection, url, size, AsyncmyDriver)


class AsyncmyDriver(MysqlDriver):
    """How to connect with asyncmy; see ``driver.Driver``."""

    errors = asyncmy.errors.MySQLError
    database_option = "database"

    async def open(self) -> Any:
        """See ``driver.MysqlDriver``. Its own limit of a connect, 10 s, cannot be off."""
        return await asyncmy.connect(**self.options)

    async def make_pool(self, size: int) -> Any:
        """See ``driver.MysqlDriver``."""
        return await asyncmy.create_pool(minsize=size, maxsize=size, **self.options)

    def transport(self, raw: Any) -> Any:
        """See ``driver.MysqlDriver``."""
        return raw._transport  # noqa: SLF001  nothing public tells its end
