"""A store on a private database: a process that has it open looks after the database's keeper."""

from __future__ import annotations

import asyncio
from typing import Any, AsyncContextManager, Callable, Optional

from data_interface.store import Data, Store

TEND_SECONDS = 0.5


class Tended:
    """See ``store.Store``. Each worker tends: what one brings, the others find."""

    def __init__(self, store: Store, tend: Callable[[], None]) -> None:
        """``tend`` neither waits nor raises: see ``databases.private.Handle.tend``."""
        self._store = store
        self._tend = tend
        self._tending: Optional[asyncio.Future[Any]] = None
        self.acquire: Callable[[], AsyncContextManager[Data]] = store.acquire

    async def open(self) -> None:
        """See ``store.Store.open``."""
        # First: it may be the keeper's death that lets the other fail.
        self._tending = asyncio.ensure_future(self._run())
        await self._store.open()

    async def _run(self) -> None:
        while True:
            self._tend()
            await asyncio.sleep(TEND_SECONDS)

    async def close(self) -> None:
        """See ``store.Store.close``."""
        if self._tending is not None:
            self._tending.cancel()
        await self._store.close()
