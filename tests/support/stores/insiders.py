"""Access to a database past the store, with the same methods for each database.

``expire`` sets the seconds until a token expires, ``keep_token`` stores one as a ballot does;
``session`` returns its address, agent and visits, ``age_session`` makes it old; ``kept`` counts
tokens and sessions;
``stickers`` and ``votes`` return all of them, ``forget_votes`` empties the history;
``refused_urls`` returns URLs that the database must refuse, by what is wrong with them.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from contextlib import asynccontextmanager, contextmanager
from typing import (
    Any,
    AsyncContextManager,
    AsyncIterator,
    Callable,
    Dict,
    Iterator,
    List,
    Optional,
    Tuple,
)

from data_interface.deadline import SharedTimer
from data_interface.reports.rows import Vote
from data_interface.store import Sticker, Store
from data_interface.timeouts import TIMEOUTS
from tests.support.stores.sql_insiders import (
    JsonbInsider,
    MysqlInsider,
    PostgresInsider,
    SqliteInsider,
)


class MemoryInsider:
    """Into the store's own dictionaries."""

    def __init__(self, store: Any) -> None:
        self._store = store

    async def expire(self, token: str, seconds: int = -1) -> None:
        tokens = self._store._tokens
        tokens[token] = tokens[token]._replace(deadline=time.monotonic() + seconds)

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
        self._store._touch_session(("f" * 32, "", ""))

    async def kept(self) -> Tuple[int, int]:
        return len(self._store._tokens), len(self._store._sessions)

    async def stickers(self) -> List[Sticker]:
        return list(self._store._stickers.values())

    async def votes(self) -> List[Vote]:
        came = self._store._history._arrived
        return [Vote(one.moment, one.winner, one.loser, one.voter) for one in came]

    async def forget_votes(self) -> None:
        self._store._history = type(self._store._history)()

    async def refused_urls(self, url: str) -> Dict[str, str]:
        return {}


class TarantoolInsider:
    """A connection of the store's driver; spaces and fields by number, see ``tarantool_layout``."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def expire(self, token: str, seconds: int = -1) -> None:
        assert await self._connection.update(5403, [token], [["=", 3, int(time.time()) + seconds]])

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

    async def stickers(self) -> List[Sticker]:
        return [Sticker(*row) for row in await self._connection.select(5401, [], iterator=2)]

    async def votes(self) -> List[Vote]:
        rows = await self._connection.select(5406, [], iterator=2)
        return [Vote(*list(row)[1:]) for row in rows]

    async def forget_votes(self) -> None:
        rows = await self._connection.select(5406, [], iterator=2)
        await asyncio.gather(*[self._connection.delete(5406, [row[0]]) for row in rows])

    async def refused_urls(self, url: str) -> Dict[str, str]:
        """The private server knows the users that every Tarantool has; none has a password."""
        as_user = url.replace("tarantool://", "tarantool://{}@")
        return {
            "wrong password": as_user.format("admin:secret"),
            "unknown user": as_user.format("nobody:secret"),
        }


class ValkeyInsider:
    """A client of the store's driver; its keys are explained in ``functions.lua``."""

    def __init__(self, client: Any) -> None:
        self._client = client

    async def expire(self, token: str, seconds: int = -1) -> None:
        assert await self._client.expire(f"stickers:token:{token}", seconds)

    async def keep_token(self, token: str, sticker: int, mate: str) -> None:
        await self._client.set(f"stickers:token:{token}", f"{sticker} {mate}", ex=60)
        # What is not in the list is not counted among those that the bound keeps.
        await self._client.rpush("stickers:tokens", token)

    async def session(self, session: str) -> Tuple[str, str, int]:
        row = await self._client.hgetall(f"stickers:session:{session}")
        return row["address"], row["agent"], int(row["visits"])

    async def age_session(self, session: str, seconds: float) -> None:
        key = f"stickers:session:{session}"
        assert await self._client.expire(key, await self._client.ttl(key) - int(seconds))

    async def kept(self) -> Tuple[int, int]:
        tokens = [key async for key in self._client.scan_iter("stickers:token:*", 1000)]
        sessions = [key async for key in self._client.scan_iter("stickers:session:*", 1000)]
        return len(tokens), len(sessions)

    async def stickers(self) -> List[Sticker]:
        return [Sticker(*json.loads(row)) for row in await self._client.hvals("stickers:rows")]

    async def votes(self) -> List[Vote]:
        rows = await self._client.lrange("stickers:arrived", 0, -1)
        return [Vote(*map(int, row.split()[1:])) for row in rows]

    async def forget_votes(self) -> None:
        await self._client.delete("stickers:arrived", "stickers:history")

    async def refused_urls(self, url: str) -> Dict[str, str]:
        """The private server's own user has no password, but this one has."""
        await self._client.acl_setuser("guarded", enabled=True, passwords=["+right"])
        as_user = url.replace("valkey://", "valkey://{}@")
        return {
            "wrong password": as_user.format("guarded:secret"),
            "unknown user": as_user.format("nobody:secret"),
        }


@asynccontextmanager
async def in_memory(store: Store, url: str) -> AsyncIterator[Any]:
    yield MemoryInsider(store)


def through(
    insider: Callable[[Any], Any],
) -> Callable[[Any, str], AsyncContextManager[Any]]:
    """Open an insider on a connection of the store's own driver."""

    @asynccontextmanager
    async def opened(store: Any, url: str) -> AsyncIterator[Any]:
        connection = await store._driver.connect()
        try:
            yield insider(connection)
        finally:
            await store._driver.disconnect(connection)

    return opened


# By the database of the registry's entry, or by its layout where that has a name.
INSIDERS: Dict[Optional[str], Callable[[Any, str], AsyncContextManager[Any]]] = {
    None: in_memory,
    "postgres": through(PostgresInsider),
    "jsonb": through(JsonbInsider),
    "mysql": through(MysqlInsider),
    "valkey": through(ValkeyInsider),
    "sqlite": through(SqliteInsider),
    "tarantool": through(TarantoolInsider),
}


@contextmanager
def lowered(tokens: int, sessions: int, votes: int = 50) -> Iterator[None]:
    """Make the bounds of every store module small; stores read them when they are opened."""
    with constants(TOKENS_KEPT=tokens, SESSIONS_KEPT=sessions, VOTES_KEPT=votes):
        yield


@contextmanager
def unhurried(store: Any) -> Iterator[None]:
    """Give pages a long time: the test is about what they answer, on a machine that may be busy."""
    if not hasattr(store, "_mode"):  # in memory
        yield
        return
    with page_timeout(store, 15.0):
        yield


@contextmanager
def page_timeout(store: Any, seconds: float) -> Iterator[None]:
    """Give pages that begin in the block that long, and connects too."""
    mode = store._mode
    before, mode.timer = mode.timer, SharedTimer(seconds)
    try:
        with constants(TIMEOUTS=TIMEOUTS._replace(page=seconds)):
            yield
    finally:
        mode.timer = before


@contextmanager
def constants(**values: Any) -> Iterator[None]:
    """Change constants in all store modules that have them."""
    changed = []
    for name, module in list(sys.modules.items()):
        if name.startswith("data_interface."):
            for constant, value in values.items():
                if hasattr(module, constant):
                    changed.append((module, constant, getattr(module, constant)))
                    setattr(module, constant, value)
    try:
        yield
    finally:
        for module, constant, value in changed:
            setattr(module, constant, value)
