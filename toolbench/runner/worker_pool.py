"""The connections of a driver, with the calls that are bound to each of them."""

from __future__ import annotations

import inspect
from typing import Any, Dict, List

from toolbench.driver import Call, MeasuredDriver, Operation
from toolbench.runner.workers import LoadNotes, in_tasks, in_threads


class WorkerPool:
    """The connections that the last load needed, which stay open.

    Calls of a driver that blocks are made in coroutines, too: no other coroutine runs meanwhile.
    """

    def __init__(self, driver: MeasuredDriver) -> None:
        self._driver = driver
        self._connections: List[Any] = []
        self._operations: Dict[str, Operation] = {}
        # The calls of an operation, in the order of the connections.
        self._calls: Dict[str, List[Call]] = {}

    async def check(self, operation: Operation) -> Any:
        """Return the result of one call on the first connection, and leave no other one open."""
        while len(self._connections) > 1:
            await self._close_last()
        if self._operations.get(operation.name) != operation:
            self._operations[operation.name] = operation
            self._calls[operation.name] = []
        (call,) = await self._bound(operation.name, 1)
        try:
            return await _result(call())
        finally:
            await self._close_pool()

    async def drive(
        self, name: str, seconds: float, concurrency: int, overtime: float
    ) -> LoadNotes:
        """Run this many workers on an operation that was checked before."""
        if self._driver.SHARED:
            calls = await self._bound(name, 1) * concurrency
        else:
            calls = await self._bound(name, concurrency)
        if self._driver.BLOCKING:
            result = in_threads(calls, seconds, overtime)
        else:
            result = await in_tasks(calls, seconds, overtime)
        if result.late:
            # The state of these connections is unknown, so they are abandoned.
            self._connections = []
            self._forget_calls()
            await self._close_pool()
        return result

    async def open(self, number: int) -> None:
        """Open connections until there are this many."""
        while len(self._connections) < number:
            self._connections.append(await _result(self._driver.connect()))

    async def close(self) -> None:
        """Close all connections."""
        await self._close_pool()
        while self._connections:
            await self._close_last()

    async def _close_pool(self) -> None:
        close_pool = getattr(self._driver, "close_pool", None)
        if close_pool is not None:
            self._forget_calls()
            await _result(close_pool())

    def _forget_calls(self) -> None:
        """Forget all calls; they are bound again when they are needed."""
        self._calls = {name: [] for name in self._calls}

    async def _close_last(self) -> None:
        connection = self._connections.pop()
        for calls in self._calls.values():
            del calls[len(self._connections) :]
        await _result(self._driver.close(connection))

    async def _bound(self, name: str, number: int) -> List[Call]:
        """Return the operation's calls on the first connections."""
        if name not in self._operations:
            raise ValueError(f"operation {name!r} was not checked")
        await self.open(number)
        operation, calls = self._operations[name], self._calls[name]
        for connection in self._connections[len(calls) : number]:
            calls.append(await _result(self._driver.bind(connection, operation)))
        return calls[:number]


async def _result(made: Any) -> Any:
    """Return what a driver's method returned, awaited if the driver is asynchronous."""
    return await made if inspect.isawaitable(made) else made
