"""What is right in Tarantool: it is asked in Lua, and answers in texts."""

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
from toolbench.operation import Operation

ROWS = (Path(__file__).parent / "witness.lua").read_text(encoding="utf-8")
ASK_SECONDS = 10.0
NO_LUA = (
    "it runs no Lua for this user, which what is right is asked in: "
    "box.schema.user.grant(USER, 'execute', 'universe')"
)


class TarantoolWitness:
    """`witness.Witness`. Its driver carries nothing but texts: which types drivers must give is
    said by the columns of the operation.
    """

    types: Mapping[str, str] = {"unsigned": "int", "integer": "int", "string": "text"}

    def __init__(self, url: str) -> None:
        self._url = url
        self._driver = AsynctntDriver(find("tarantool").address(url))
        self._connection: Any = None
        self._filled = False
        self._loop = asyncio.new_event_loop()

    def prepare(self, operation: Operation) -> None:
        """The site's own store fills an empty database as it opens."""
        if not self._filled:
            self._settled(self._fill())
            self._filled = True

    def reset(self, operation: Operation) -> None:
        """See ``Witness``."""
        for code in operation.reset:
            self._evaluated(code, [])

    def expected(self, operation: Operation) -> Texts:
        """See ``Witness``."""
        asked = [operation.kind, operation.table, operation.sql, list(operation.args)]
        (rows,) = self._evaluated(ROWS, asked)
        return [list(row) for row in rows]

    def after(self, operation: Operation) -> Texts:
        """What the Lua of `after` returns is the one row."""
        return [[str(value) for value in self._evaluated(operation.after, [])]]

    def close(self) -> None:
        """See ``Witness``."""
        self._leave()
        self._loop.close()

    async def _fill(self) -> None:
        store = open_store("one", self._url, 1)
        await store.open()
        await store.close()

    def _evaluated(self, code: str, arguments: Sequence[Any]) -> Sequence[Any]:
        """What Lua returned."""
        found: Sequence[Any] = self._settled(self._asked(code, arguments))
        return found

    async def _asked(self, code: str, arguments: Sequence[Any]) -> Any:
        if self._connection is None:
            self._connection = await self._driver.connect()
        return (await self._connection.eval(code, list(arguments))).body

    def _settled(self, asked: Coroutine[Any, Any, Any]) -> Any:
        """CellFailed, one line, when Tarantool does not answer or refuses."""
        try:
            return self._loop.run_until_complete(asyncio.wait_for(asked, ASK_SECONDS))
        except Exception as error:
            self._leave()
            raise CellFailed(f"tarantool: {self._in_words(error)}") from error

    def _in_words(self, error: Exception) -> str:
        if isinstance(error, TimeoutError):
            return f"it did not answer within {ASK_SECONDS:g} s"
        if getattr(error, "code", None) == ACCESS_DENIED:
            return NO_LUA
        told = error if isinstance(error, StoreError) else self._driver.translate(error)
        return " ".join(str(told or error).split()) or type(error).__name__

    def _leave(self) -> None:
        """The loop takes one more turn: it closes the transport then."""
        connection, self._connection = self._connection, None
        if connection is not None:
            self._loop.run_until_complete(self._driver.disconnect(connection))
            self._loop.run_until_complete(asyncio.sleep(0))
