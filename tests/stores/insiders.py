"""Ways into a database past the store: to make a token old, to see what was kept."""

from __future__ import annotations

import sys
from contextlib import asynccontextmanager, contextmanager
from typing import Any, AsyncContextManager, AsyncIterator, Callable, Dict, Iterator, Tuple

from typing_extensions import Protocol

from data_interface.store import Store, Visitor


class Insider(Protocol):
    """What the tests do behind a store's back."""

    async def expire(self, token: str) -> None:
        """Make the token's time be over."""

    async def keep_token(self, token: str, sticker: int, mate: str) -> None:
        """Store a token as a ballot would."""

    async def session(self, session: str) -> Tuple[str, str, int]:
        """Address, agent and number of visits."""

    async def age_session(self, session: str, seconds: float) -> None:
        """As if the visitor had not been seen for that long."""

    async def kept(self) -> Tuple[int, int]:
        """How many tokens and sessions there are."""


class MemoryInsider:
    """Into the store's own dictionaries."""

    def __init__(self, store: Any) -> None:
        self._store = store

    async def expire(self, token: str) -> None:
        tokens = self._store._tokens
        tokens[token] = tokens[token]._replace(deadline=0.0)

    async def keep_token(self, token: str, sticker: int, mate: str) -> None:
        self._store._keep_token(token, sticker, mate)

    async def session(self, session: str) -> Tuple[str, str, int]:
        known = self._store._sessions[session]
        return known.address, known.agent, known.visits

    async def age_session(self, session: str, seconds: float) -> None:
        sessions = self._store._sessions
        sessions[session] = sessions[session]._replace(seen=sessions[session].seen - seconds)
        sessions.move_to_end(session, last=False)
        # This store looks at the age when it is used, not once in a while.
        self._store._touch_session(Visitor("f" * 32, "", ""))

    async def kept(self) -> Tuple[int, int]:
        return len(self._store._tokens), len(self._store._sessions)


class PostgresInsider:
    """A connection of its own."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def expire(self, token: str) -> None:
        sql = "UPDATE tokens SET expires = now() - interval '1 s' WHERE token = $1"
        assert await self._connection.execute(sql, token) == "UPDATE 1"

    async def keep_token(self, token: str, sticker: int, mate: str) -> None:
        sql = "INSERT INTO tokens VALUES ($1, $2, $3, now() + interval '60 s')"
        await self._connection.execute(sql, token, sticker, mate)

    async def session(self, session: str) -> Tuple[str, str, int]:
        sql = "SELECT address, agent, visits FROM sessions WHERE session = $1"
        row = await self._connection.fetchrow(sql, session)
        return row[0], row[1], row[2]

    async def age_session(self, session: str, seconds: float) -> None:
        sql = "UPDATE sessions SET seen = seen - make_interval(secs => $2) WHERE session = $1"
        assert await self._connection.execute(sql, session, seconds) == "UPDATE 1"

    async def kept(self) -> Tuple[int, int]:
        sql = "SELECT (SELECT count(*) FROM tokens), (SELECT count(*) FROM sessions)"
        row = await self._connection.fetchrow(sql)
        return row[0], row[1]


class TarantoolInsider:
    """A connection of the store's driver; spaces and fields by number, see ``tarantool_layout``."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def expire(self, token: str) -> None:
        assert await self._connection.update(5403, [token], [["=", 3, 1]])

    async def keep_token(self, token: str, sticker: int, mate: str) -> None:
        await self._connection.insert(5403, [token, sticker, mate, 2**32])

    async def session(self, session: str) -> Tuple[str, str, int]:
        row = (await self._connection.select(5404, [session]))[0]
        return row[1], row[2], row[3]

    async def age_session(self, session: str, seconds: float) -> None:
        assert await self._connection.update(5404, [session], [["-", 4, int(seconds)]])

    async def kept(self) -> Tuple[int, int]:
        tokens = await self._connection.select(5403, [], iterator=2)
        sessions = await self._connection.select(5404, [], iterator=2)
        return len(list(tokens)), len(list(sessions))


@asynccontextmanager
async def in_memory(store: Store, url: str) -> AsyncIterator[Insider]:
    yield MemoryInsider(store)


@asynccontextmanager
async def in_postgres(store: Store, url: str) -> AsyncIterator[Insider]:
    import asyncpg

    settings = {"search_path": "sticker_site"}
    connection = await asyncpg.connect(url, server_settings=settings, timeout=5.0)
    try:
        yield PostgresInsider(connection)
    finally:
        connection.terminate()


@asynccontextmanager
async def in_tarantool(store: Any, url: str) -> AsyncIterator[Insider]:
    connection = await store._driver.connect()
    try:
        yield TarantoolInsider(connection)
    finally:
        await store._driver.disconnect(connection)


INSIDERS: Dict[str, Callable[[Store, str], AsyncContextManager[Insider]]] = {
    "memory": in_memory,
    "postgres": in_postgres,
    "tarantool": in_tarantool,
}


@contextmanager
def lowered(tokens: int, sessions: int) -> Iterator[None]:
    """The bounds of every store module, made small; stores read them when they are opened."""
    bounds = {"TOKENS_KEPT": tokens, "SESSIONS_KEPT": sessions}
    changed = []
    for name, module in list(sys.modules.items()):
        if name.startswith("data_interface."):
            for bound, value in bounds.items():
                if hasattr(module, bound):
                    changed.append((module, bound, getattr(module, bound)))
                    setattr(module, bound, value)
    try:
        yield
    finally:
        for module, bound, value in changed:
            setattr(module, bound, value)
