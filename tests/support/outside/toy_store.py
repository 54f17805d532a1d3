"""A driver of the toy database: three lines for Good, then what the memory says."""

from __future__ import annotations

import asyncio

from data_interface.memory_store import MemoryStore
from data_interface.store import Podium, Visitor
from databases import find

LINES = 3


class ToyStore(MemoryStore):
    """``store.Store`` on one connection."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._address = find("toybase").address(url)
        self._turn = asyncio.Lock()

    async def open(self) -> None:
        await super().open()
        where = self._address
        self._reader, self._writer = await asyncio.open_connection(where.host, where.port)

    async def close(self) -> None:
        self._writer.close()

    async def podium(self, visitor: Visitor, limit: int, best: bool) -> Podium:
        async with self._turn:
            for _ in range(LINES):
                self._writer.write(b"hello\n")
                assert await self._reader.readline() == b"ok hello\n"
        return await super().podium(visitor, limit, best)


def open_store(connection: str, url: str, size: int) -> ToyStore:
    """The only mode there is."""
    return ToyStore(url)
