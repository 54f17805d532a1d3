"""PostgreSQL through asyncpg, in the article's layout: one statement for each request."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, Awaitable, Callable, Dict, List, Optional

import asyncpg

from data_interface.article import ArticleData, Request, Rows
from data_interface.connections import Mode, Unit, mode
from data_interface.driver import REQUEST_SECONDS, connect, raise_translated
from data_interface.postgres import statements as sql
from data_interface.postgres import upkeep
from data_interface.store import (
    Busy,
    Conflict,
    Data,
    NotFound,
    Pack,
    Statistics,
    Sticker,
    StoreError,
    Unavailable,
    Visitor,
)

# A page that waited for a hung database does not wait for its goodbye as well.
GOODBYE_SECONDS = 0.05
# How long a round of cleaning may take to see that it is over.
CLOSE_SECONDS = 2.0

# Cancelled early in a connect, asyncpg before 0.32 leaves an error that nobody looks at.
LITTERS = tuple(int(part) for part in asyncpg.__version__.split(".")[:2]) < (0, 32)

REFUSALS = (
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidCatalogNameError,
    asyncpg.InsufficientPrivilegeError,
)
ABSENCES = (
    asyncpg.OperatorInterventionError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    # A server that shuts down says so between two requests: asyncpg takes that for a disorder.
    asyncpg.InternalClientError,
    OSError,
)

NO_PACK = "There is no such pack."
NO_STICKER = "There is no such sticker in that pack."


class Connection:
    """asyncpg's connection, which prepares every statement at its first use.

    ``PreparedStatement.fetch`` saves the look-up that ``Connection.fetch`` does in its cache.
    """

    def __init__(self, raw: asyncpg.Connection[Any]) -> None:
        self.raw = raw
        self._prepared: Dict[str, Callable[..., Awaitable[Rows]]] = {}

    def fetch(self, statement: str, *arguments: Any) -> Request:
        """The rows of one statement."""
        fetch = self._prepared.get(statement)
        if fetch is None:
            return self._prepare(statement, arguments)
        return fetch(*arguments)

    async def _prepare(self, statement: str, arguments: Any) -> Rows:
        fetch = (await self.raw.prepare(statement)).fetch
        self._prepared[statement] = fetch
        rows: Rows = await fetch(*arguments)
        return rows


class PostgresData(ArticleData):
    """``store.Data`` on one connection."""

    def __init__(self, connection: Connection) -> None:
        self._fetch = connection.fetch

    def random_sticker(self) -> Request:
        return self._fetch(sql.RANDOM_STICKER)

    def new_id(self) -> Request:
        return self._fetch(sql.NEW_ID)

    def keep_token(self, token: str, sticker: int, mate: str) -> Request:
        return self._fetch(sql.KEEP_TOKEN, token, sticker, mate)

    def touch_session(self, session: str, visitor: Visitor) -> Request:
        return self._fetch(sql.TOUCH_SESSION, session, visitor.address, visitor.agent)

    def count_view(self) -> Request:
        return self._fetch(sql.COUNT_VIEW)

    def ranked(self, limit: int, best: bool) -> Request:
        return self._fetch(sql.BEST if best else sql.WORST, limit)

    async def cast_vote(self, plus: str, minus: str) -> bool:
        return bool((await self._fetch(sql.CAST_VOTE, plus, minus))[0][0])

    async def statistics(self) -> Statistics:
        return Statistics(*(await self._fetch(sql.STATISTICS))[0])

    async def packs(self) -> List[Pack]:
        return [Pack(*row) for row in await self._fetch(sql.PACKS)]

    async def pack(self, pack: int) -> Pack:
        return Pack(*await self._one(NO_PACK, sql.PACK, pack))

    async def stickers(self, pack: int) -> List[Sticker]:
        return [Sticker(*row) for row in await self._fetch(sql.STICKERS, pack)]

    async def sticker(self, pack: int, sticker: int) -> Sticker:
        return Sticker(*await self._one(NO_STICKER, sql.ONE_STICKER, pack, sticker))

    async def create_pack(self, title: str) -> Pack:
        return Pack(*await self._one(NO_PACK, sql.CREATE_PACK, title))

    async def rename_pack(self, pack: int, title: str) -> Pack:
        return Pack(*await self._one(NO_PACK, sql.RENAME_PACK, pack, title))

    async def delete_pack(self, pack: int) -> None:
        await self._one(NO_PACK, sql.DELETE_PACK, pack)

    async def create_sticker(self, pack: int, title: str) -> Sticker:
        return Sticker(*await self._one(NO_PACK, sql.CREATE_STICKER, pack, title))

    async def rename_sticker(self, pack: int, sticker: int, title: str) -> Sticker:
        return Sticker(*await self._one(NO_STICKER, sql.RENAME_STICKER, pack, sticker, title))

    async def delete_sticker(self, pack: int, sticker: int) -> None:
        await self._one(NO_STICKER, sql.DELETE_STICKER, pack, sticker)

    async def _one(self, missing: str, statement: str, *arguments: Any) -> Any:
        """The only row of an answer; ``Conflict`` when a constraint refuses the change."""
        try:
            rows = await self._fetch(statement, *arguments)
        except asyncpg.UniqueViolationError:
            raise Conflict("Another pack has that title.") from None
        except asyncpg.ForeignKeyViolationError:
            raise Conflict("The pack still has stickers.") from None
        if not rows:
            raise NotFound(missing)
        return rows[0]


class AsyncpgDriver:
    """How to connect with asyncpg; see ``driver.Driver``."""

    # One connection serves one statement at a time.
    multiplexed = False

    def __init__(self, url: str) -> None:
        self._url = url

    async def connect(self) -> Connection:
        """See ``driver.Driver``. A cancelled page lets a driver that litters end first."""
        if not LITTERS:
            return await self._connect()
        attempt = asyncio.ensure_future(self._connect())
        try:
            return await asyncio.shield(attempt)
        except asyncio.CancelledError:
            await asyncio.wait([attempt], timeout=GOODBYE_SECONDS)
            if not attempt.cancel() and attempt.exception() is None:
                attempt.result().raw.terminate()
            raise

    async def _connect(self) -> Connection:
        try:
            raw = await asyncpg.connect(
                self._url,
                command_timeout=REQUEST_SECONDS,
                server_settings={
                    "application_name": "sticker-site",
                    "search_path": upkeep.SCHEMA,
                    # Every statement has one good plan: none is planned a second time.
                    "plan_cache_mode": "force_generic_plan",
                },
            )
        except ValueError:
            raise StoreError("DATABASE_URL is not the URL of a PostgreSQL server.") from None
        return Connection(raw)

    async def disconnect(self, connection: Connection) -> None:
        """See ``driver.Driver``."""
        if connection.raw.is_closed():
            return
        try:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(connection.raw.close(), GOODBYE_SECONDS)
        finally:
            connection.raw.terminate()

    def is_open(self, connection: Connection) -> bool:
        return not connection.raw.is_closed()

    def data(self, connection: Connection) -> Data:
        return PostgresData(connection)

    def translate(self, error: BaseException) -> Optional[StoreError]:
        if isinstance(error, asyncpg.TooManyConnectionsError):
            return Busy("PostgreSQL has no connection left: raise its max_connections.")
        if isinstance(error, REFUSALS):
            return StoreError(f"PostgreSQL refuses DATABASE_URL: {first_line(error)}")
        if isinstance(error, ABSENCES):
            return Unavailable("PostgreSQL does not answer.")
        if isinstance(error, asyncpg.PostgresError):
            return StoreError(f"PostgreSQL failed: {first_line(error)}")
        return None


def first_line(error: BaseException) -> str:
    """What went wrong, without PostgreSQL's details and hints."""
    return str(error).partition("\n")[0]


class PostgresStore:
    """``store.Store`` on PostgreSQL."""

    def __init__(self, connections: Mode, driver: AsyncpgDriver) -> None:
        self._mode = connections
        self._driver = driver
        self._cleaning: Optional[asyncio.Future[None]] = None
        self.acquire: Callable[[], Unit] = connections.acquire

    async def open(self) -> None:
        connection = await connect(self._driver)
        try:
            await upkeep.create_schema(connection.raw)
        except Exception as error:
            raise_translated(self._driver, error)
            raise
        finally:
            await self._driver.disconnect(connection)
        await self._mode.open()
        self._cleaning = asyncio.ensure_future(upkeep.keep_clean(self._driver))

    async def close(self) -> None:
        if self._cleaning is not None:
            self._cleaning.cancel()
            await asyncio.wait([self._cleaning], timeout=CLOSE_SECONDS)
        await self._mode.close()


def open_store(connection: str, url: str, size: int) -> PostgresStore:
    """The store at a ``postgresql://`` URL in one of the modes of ``connections.mode``."""
    driver = AsyncpgDriver(url)
    return PostgresStore(mode(connection, driver, size), driver)
