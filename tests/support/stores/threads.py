"""A store for threads in the event loop of a test: each call of a page runs in a thread."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Callable, Coroutine, Optional, Type

from data_interface.connections import MOST_CONNECTIONS

MOST_THREADS = 2 * MOST_CONNECTIONS


def finished(call: Coroutine[Any, Any, Any]) -> Any:
    """Run a call to its end, without an event loop."""
    try:
        call.send(None)
    except StopIteration as end:
        return end.value
    call.close()
    raise AssertionError("a call of a store for threads was suspended")


class InThreads:
    """The store, whose background work is done by an event loop in a thread, as on a server."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self._threads = ThreadPoolExecutor(MOST_THREADS)
        self._loop = asyncio.new_event_loop()
        self._background = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def open(self) -> None:
        self._background.start()
        await self._do(self._store.open())

    async def _do(self, work: Coroutine[Any, Any, None]) -> None:
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    def acquire(self) -> UnitInThreads:
        return UnitInThreads(self._store.acquire(), self._threads)

    async def close(self) -> None:
        await self._do(self._store.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._background.join()
        self._loop.close()
        self._threads.shutdown()


class UnitInThreads:
    """A unit of work. What is cancelled goes on to its end, as no thread can be cancelled."""

    def __init__(self, unit: Any, threads: ThreadPoolExecutor) -> None:
        self._unit = unit
        self._threads = threads
        self._data: Any = None

    async def __aenter__(self) -> UnitInThreads:
        entering = asyncio.ensure_future(self._call(self._unit.__aenter__))
        try:
            self._data = await asyncio.shield(entering)
        except asyncio.CancelledError:
            await asyncio.wait([entering])
            if entering.exception() is None:
                await self.__aexit__(None, None, None)
            raise
        return self

    def __getattr__(self, name: str) -> Callable[..., Any]:
        call = getattr(self._data, name)

        async def in_thread(*arguments: Any) -> Any:
            calling = asyncio.ensure_future(self._call(call, *arguments))
            try:
                return await asyncio.shield(calling)
            except asyncio.CancelledError:
                await asyncio.wait([calling])
                calling.exception()
                raise

        return in_thread

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        await self._call(self._unit.__aexit__, kind, error, trace)

    async def _call(self, call: Callable[..., Any], *arguments: Any) -> Any:
        loop = asyncio.get_event_loop()
        return await loop.run_in_executor(self._threads, lambda: finished(call(*arguments)))


def needs_loop(test: Any) -> Any:
    """Mark a test that no store for threads is asked for: it cancels a page, or uses a driver."""
    test.needs_loop = True
    return test
