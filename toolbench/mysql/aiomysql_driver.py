"""aiomysql."""

from __future__ import annotations

from typing import Any

import aiomysql

from toolbench.driver import Address, Options
from toolbench.mysql.cursors import LEAST, MOST, Awaited


class Aiomysql(Awaited):
    """``toolbench.driver.Driver``."""

    def __init__(self, address: Address, options: Options) -> None:
        super().__init__(address, options)
        self.options["db"] = self.database

    async def link(self) -> Any:
        """See ``Awaited``."""
        return await aiomysql.connect(**self.options)

    async def make_pool(self) -> Any:
        """See ``Awaited``."""
        return await aiomysql.create_pool(minsize=LEAST, maxsize=MOST, **self.options)
