"""The drivers' own pools at their worst, without a database."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, List

from data_interface.connections import MOST_CONNECTIONS, mode
from data_interface.mysql.pool import MysqlPool
from data_interface.pools import DriverPool
from data_interface.store import StoreError
from tests.support.stores.bench import within
from tests.support.stores.insiders import page_timeout


class Lost:
    """A driver, and its pool, which hands out what was lost, at once, as often as it is asked."""

    def is_open(self, connection: Any) -> bool:
        return False

    def translate(self, error: BaseException) -> Any:
        return None

    async def open(self) -> None:
        """It finds nothing wrong."""

    async def acquire(self) -> Any:
        return "lost"

    async def release(self, connection: Any, broken: bool) -> None:
        assert broken


async def test_a_pool_of_lost_connections_does_not_stop_the_loop() -> None:
    """The page ends in its time, and others go on meanwhile."""
    lost: Any = Lost()
    mode = DriverPool(lost, 1, lost)
    await mode.open()

    class Holder:
        _mode = mode

    error = None
    with page_timeout(Holder(), 0.3), within(0.3):
        try:
            async with mode.acquire():
                raise AssertionError("there is no connection")
        except StoreError as refusal:
            error = refusal
    assert error is not None


class Library:
    """A pool like aiomysql's: after a lost connection, only ``clear`` wakes those who wait."""

    def __init__(self, free: int) -> None:
        self.freesize = free
        self.cleared = 0
        self.waits = asyncio.Event()

    async def acquire(self) -> Any:
        await asyncio.sleep(0)
        while not self.freesize:
            self.waits.clear()
            await self.waits.wait()
        self.freesize -= 1
        return object()

    def release(self, connection: Any) -> None:
        """It was lost."""

    async def clear(self) -> None:
        self.cleared += 1
        self.freesize += 1
        self.waits.set()


class Link:
    """A connection as the driver knows it."""

    raw = object()


class Driver:
    """A driver whose library's pool is the one given."""

    wakes_waiters = False

    def __init__(self, library: Library) -> None:
        self._library = library

    async def make_pool(self, size: int) -> Any:
        return self._library

    def connected(self, raw: Any) -> Any:
        return raw

    async def disconnect(self, connection: Any) -> None:
        pass


async def own(free: int) -> Any:
    library = Library(free)
    pool = MysqlPool(Driver(library), 2)
    await pool.open()
    return pool, library


async def turns(number: int) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


async def test_who_waits_is_told_of_room() -> None:
    pool, library = await own(0)
    waiting = asyncio.ensure_future(pool.acquire())
    await turns(5)
    await pool.release(Link(), broken=True)
    await asyncio.wait_for(waiting, 1)
    assert library.cleared == 1


async def test_healthy_connections_stay() -> None:
    """A pool is cleared only if somebody waits and no healthy connection came back in this turn."""
    pool, library = await own(0)
    await pool.release(Link(), broken=True)
    await turns(5)
    assert library.cleared == 0
    waiting = asyncio.ensure_future(pool.acquire())
    await turns(5)
    await pool.release(Link(), broken=True)
    library.freesize = 1
    library.waits.set()
    await asyncio.wait_for(waiting, 1)
    await turns(5)
    assert library.cleared == 0


async def test_who_may_have_to_wait_waits_apart() -> None:
    """There are fewer that are free than pages which are on their way to one."""
    pool, library = await own(1)
    apart: List[Any] = []

    async def acquire_apart() -> Any:
        apart.append(1)
        return await library.acquire()

    pool._acquire_in_task = acquire_apart
    first, second = (asyncio.ensure_future(pool.acquire()) for _ in range(2))
    await asyncio.wait_for(first, 1)
    assert len(apart) == 1
    library.freesize = 1
    library.waits.set()
    await asyncio.wait_for(second, 1)


class ListDriver:
    """A driver whose connections are lists, and those that it closed."""

    multiplexed = False

    def __init__(self) -> None:
        self.closed: List[Any] = []

    async def connect(self) -> Any:
        return []

    async def disconnect(self, connection: Any) -> None:
        self.closed.append(connection)

    def is_open(self, connection: Any) -> bool:
        return True

    def data(self, connection: Any) -> Any:
        return connection

    def translate(self, error: BaseException) -> Any:
        return None


async def failing_page(pool: Any) -> Any:
    """Fail in the middle of a page; return its connection."""
    used: List[Any] = []
    with contextlib.suppress(ValueError):
        async with pool.acquire() as connection:
            used.append(connection)
            raise ValueError
    return used[0]


async def test_a_connection_of_a_failed_page_is_not_used_again() -> None:
    driver: Any = ListDriver()
    gate = mode("gate", driver, 1)
    async with gate.acquire() as first:
        pass
    assert await failing_page(gate) is first
    assert driver.closed == [first]
    with within(0.3):
        async with gate.acquire() as second:
            assert second is not first


async def test_each_page_gives_its_place_to_the_next() -> None:
    driver: Any = ListDriver()
    multi = mode("multi", driver, 1)
    with within(1.0):
        for _ in range(MOST_CONNECTIONS):
            await failing_page(multi)
        async with multi.acquire():
            assert len(driver.closed) == MOST_CONNECTIONS
