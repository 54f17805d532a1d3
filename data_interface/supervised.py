"""A store on a private database that starts a new supervisor when the database has none."""

from __future__ import annotations

import asyncio
from typing import Any, AsyncContextManager, Callable, Optional

from data_interface.store import Data, Store

CHECK_SECONDS = 0.5


class SupervisedStore:
    """Wraps a store and checks, as long as it is open, that the database has its supervisor.

    Each worker process does so: the first one to notice starts a new supervisor, which serves all.
    """

    def __init__(self, store: Store, check_supervisor: Callable[[], None]) -> None:
        """Take `check_supervisor`, which returns at once and never raises."""
        self._store = store
        self._check_supervisor = check_supervisor
        self._checks: Optional[asyncio.Future[Any]] = None
        self.acquire: Callable[[], AsyncContextManager[Data]] = store.acquire

    async def open(self) -> None:
        # The checks begin first: the store may fail to open because the supervisor has died.
        self._checks = asyncio.ensure_future(self._check_forever())
        await self._store.open()

    async def _check_forever(self) -> None:
        while True:
            self._check_supervisor()
            await asyncio.sleep(CHECK_SECONDS)

    async def close(self) -> None:
        if self._checks is not None:
            self._checks.cancel()
        await self._store.close()
