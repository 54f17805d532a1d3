"""asyncmy."""

from __future__ import annotations

from typing import Any

import asyncmy

from runtime.address import Address
from toolbench.driver import Options
from toolbench.mysql.cursors import AsyncCursors

# The statements that a connection keeps prepared on the server: more than there are operations.
CACHED_STATEMENTS = 32


class Asyncmy(AsyncCursors):
    """It prepares statements only if it may keep them."""

    def __init__(self, address: Address, options: Options) -> None:
        super().__init__(address, options)
        if options.prepared:
            self.options["stmt_cache_size"] = CACHED_STATEMENTS

    async def connect(self) -> Any:
        return await asyncmy.connect(**self.options)

    async def make_pool(self, least: int, most: int) -> Any:
        return await asyncmy.create_pool(minsize=least, maxsize=most, **self.options)
