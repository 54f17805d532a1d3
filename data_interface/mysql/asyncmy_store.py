"""MySQL through asyncmy."""

from __future__ import annotations

from typing import Any

import asyncmy

from data_interface.mysql.driver import MysqlDriver
from data_interface.mysql.store import MysqlStore

# ``_transport`` is private: nothing public shows whether the server has closed a connection.
CHECKED_VERSIONS = {"asyncmy": ("0.2.17", "0.2.18")}


def open_store(connection: str, url: str, size: int) -> MysqlStore:
    """Return the store at a ``mysql://`` URL in one of the connection modes."""
    return MysqlStore(connection, url, size, AsyncmyDriver)


class AsyncmyDriver(MysqlDriver):
    """The driver asyncmy, for the connection modes."""

    errors = asyncmy.errors.MySQLError
    database_option = "database"

    async def open(self) -> Any:
        # asyncmy's own timeout for connecting, 10 s, cannot be turned off.
        return await asyncmy.connect(**self.options)

    async def make_pool(self, size: int) -> Any:
        return await asyncmy.create_pool(minsize=size, maxsize=size, **self.options)

    def transport(self, raw: Any) -> Any:
        return raw._transport  # noqa: SLF001  see above
