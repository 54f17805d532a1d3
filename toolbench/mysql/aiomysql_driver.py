"""aiomysql."""

from __future__ import annotations

from typing import Any

import aiomysql

from runtime.address import Address
from toolbench.driver import Options
from toolbench.mysql.cursors import AsyncCursors


class Aiomysql(AsyncCursors):
    """It calls the database ``db``."""

    def __init__(self, address: Address, options: Options) -> None:
        super().__init__(address, options)
        self.options["db"] = self.options.pop("database")

    async def connect(self) -> Any:
        return await aiomysql.connect(**self.options)

    async def make_pool(self, least: int, most: int) -> Any:
        return await aiomysql.create_pool(minsize=least, maxsize=most, **self.options)
