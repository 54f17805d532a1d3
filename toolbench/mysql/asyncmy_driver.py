"""asyncmy."""

from __future__ import annotations

from typing import Any

import asyncmy

from toolbench.driver import Address, Options
from toolbench.mysql.cursors import LEAST, MOST, Awaited

# Statements that a connection keeps prepared on the server: more than there are operations.
KEPT = 32


class Asyncmy(Awaited):
    """``toolbench.driver.Driver``."""

    def __init__(self, address: Address, options: Options) -> None:
        super().__init__(address, options)
        self.options["database"] = self.database
        if options.prepared:
            self.options["stmt_cache_size"] = KEPT

    async def link(self) -> Any:
        """See ``Awaited``."""
        return await asyncmy.connect(**self.options)

    async def make_pool(self) -> Any:
        """See ``Awaited``."""
        return await asyncmy.create_pool(minsize=LEAST, maxsize=MOST, **self.options)
