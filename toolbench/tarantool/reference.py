"""The reference for Tarantool: it asks in Lua, and all answers are texts."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any

from data_interface.store import StoreError
from data_interface.tarantool.asynctnt_store import AsynctntDriver, open_store
from data_interface.tarantool.layout import ACCESS_DENIED
from databases import find
from race.errors import CellFailed
from toolbench.check import Texts
from toolbench.operation import OperationSpec
from toolbench.timeouts import TIMEOUTS

ROWS = (Path(__file__).parent / "reference.lua").read_text(encoding="utf-8")
NO_LUA = (
    "this user may not run Lua, in which the reference asks: "
    "box.schema.user.grant(USER, 'execute', 'universe')"
)


class TarantoolReference:
    """A `Reference`.

    Its driver carries nothing but texts: the columns of an operation say which types are right.
    """

    types: Mapping[str, str] = {"unsigned": "int", "integer": "int", "string": "text"}

    def __init__(self, url: str) -> None:
        self._url = url
        self._driver = AsynctntDriver(find("tarantool").address(url))
        self._connection: Any = None
        self._filled = False
        self._loop = asyncio.new_event_loop()

    def prepare(self, operation: OperationSpec) -> None:
        """Open the site's own store, which fills an empty database."""
        if not self._filled:
            self._answered(self._fill())
            self._filled = True

    def run(self, statements: Sequence[str]) -> None:
        for code in statements:
            self._evaluate(code, [])

    def expected(self, operation: OperationSpec) -> Texts:
        asked = [operation.kind, operation.table, operation.sql, list(operation.args)]
        (rows,) = self._evaluate(ROWS, asked)
        return [list(row) for row in rows]

    def after(self, operation: OperationSpec) -> Texts:
        return [[str(value) for value in self._evaluate(operation.after, [])]]

    def close(self) -> None:
        self._disconnect()
        self._loop.close()

    async def _fill(self) -> None:
        store = open_store("one", self._url, 1)
        await store.open()
        await store.close()

    def _evaluate(self, code: str, arguments: Sequence[Any]) -> Sequence[Any]:
        """Return what Lua code returns."""
        found: Sequence[Any] = self._answered(self._evaluated(code, arguments))
        return found

    async def _evaluated(self, code: str, arguments: Sequence[Any]) -> Any:
        if self._connection is None:
            self._connection = await self._driver.connect()
        return (await self._connection.eval(code, list(arguments))).body

    def _answered(self, asked: Coroutine[Any, Any, Any]) -> Any:
        """Return the answer; CellFailed if Tarantool does not answer, or refuses."""
        try:
            return self._loop.run_until_complete(asyncio.wait_for(asked, TIMEOUTS.evaluate))
        except Exception as error:
            self._disconnect()
            raise CellFailed(f"tarantool: {self._in_words(error)}") from error

    def _in_words(self, error: Exception) -> str:
        if isinstance(error, TimeoutError):
            return f"it did not answer within {TIMEOUTS.evaluate:g} s"
        if getattr(error, "code", None) == ACCESS_DENIED:
            return NO_LUA
        translated = error if isinstance(error, StoreError) else self._driver.translate(error)
        return " ".join(str(translated or error).split()) or type(error).__name__

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            self._loop.run_until_complete(self._driver.disconnect(connection))
            # asyncio closes the transport in the next turn of its loop.
            self._loop.run_until_complete(asyncio.sleep(0))
