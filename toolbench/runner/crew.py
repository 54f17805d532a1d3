"""A driver's connections, and what each operation is on each of them."""

from __future__ import annotations

import inspect
from typing import Any, Dict, List

from toolbench.driver import Call, Driver, Operation
from toolbench.runner.timed import Driven, in_tasks, in_threads


class Crew:
    """As many connections as are needed now, with the calls that were bound to them.

    Calls of a driver that blocks are made here too, between the loads: nobody else is at work then.
    """

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._connections: List[Any] = []
        self._operations: Dict[str, Operation] = {}
        # By operation, in the order of the connections.
        self._calls: Dict[str, List[Call]] = {}

    async def check(self, operation: Operation) -> Any:
        """What one call gives, on the first connection; all else is closed, before and after."""
        while len(self._connections) > 1:
            await self._drop()
        if self._operations.get(operation.name) != operation:
            self._operations[operation.name] = operation
            self._calls[operation.name] = []
        (call,) = await self._bound(operation.name, 1)
        try:
            return await _settled(call())
        finally:
            await self._rest()

    async def drive(self, name: str, seconds: float, concurrency: int) -> Driven:
        """So many workers on an operation that was checked before."""
        if self._driver.SHARED:
            calls = await self._bound(name, 1) * concurrency
        else:
            calls = await self._bound(name, concurrency)
        if self._driver.BLOCKING:
            driven = in_threads(calls, seconds)
        else:
            driven = await in_tasks(calls, seconds)
        if driven.late:
            # Nobody knows what they are in the middle of.
            self._connections = []
            self._forget()
            await self._rest()
        return driven

    async def open(self, number: int) -> None:
        """Have so many connections at least."""
        while len(self._connections) < number:
            self._connections.append(await _settled(self._driver.connect()))

    async def close(self) -> None:
        """End all connections."""
        await self._rest()
        while self._connections:
            await self._drop()

    async def _rest(self) -> None:
        """What a driver has beside its connections goes, and what was bound to it."""
        rest = getattr(self._driver, "rest", None)
        if rest is not None:
            self._forget()
            await _settled(rest())

    def _forget(self) -> None:
        """All that was bound: it is bound anew when it is needed."""
        self._calls = {name: [] for name in self._calls}

    async def _drop(self) -> None:
        """The last one, with what was bound to it."""
        connection = self._connections.pop()
        for calls in self._calls.values():
            del calls[len(self._connections) :]
        await _settled(self._driver.close(connection))

    async def _bound(self, name: str, number: int) -> List[Call]:
        """The operation's calls on the first connections."""
        if name not in self._operations:
            raise ValueError(f"operation {name!r} was not checked")
        await self.open(number)
        operation, calls = self._operations[name], self._calls[name]
        for connection in self._connections[len(calls) : number]:
            calls.append(await _settled(self._driver.bind(connection, operation)))
        return calls[:number]


async def _settled(result: Any) -> Any:
    """A driver's coroutine is waited for; what one that blocks gives is there already."""
    return await result if inspect.isawaitable(result) else result
