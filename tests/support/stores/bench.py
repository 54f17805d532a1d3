"""The store under test, and access to its database past the store.

Runs on CPython 3.7 too, standard library only: a backend for that interpreter is tested there.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import time
from pathlib import Path
from typing import (
    Any,
    AsyncContextManager,
    AsyncIterator,
    Awaitable,
    Callable,
    Iterator,
    List,
    NamedTuple,
    Tuple,
    Type,
)

from data_interface import BACKENDS, HOUSEKEEPING, LOOP
from data_interface.reports.rows import NOBODY
from data_interface.store import Statistics, Store, StoreError, Visitor
from databases import find, private
from databases.database import Database
from databases.home import folder, read_state
from databases.wire import Wire, tapped
from tests.support.stores.embedded import locked_file, traced
from tests.support.stores.insiders import INSIDERS
from tests.support.stores.threads import InThreads

VISITOR: Visitor = (None, "127.0.0.1", "a test")
# When the tests' votes are cast: a Friday, 1 May 2026, 12:34:56 UTC.
NOW = 1_777_638_896
# What the issue promises of a page while the database is away, and of its return.
PATIENCE_SECONDS = 2.0
# The tests share the machine with others: what is bounded may end this much later.
SLACK_SECONDS = 0.5


class Bench:
    """One backend in one connection mode, on a running database."""

    def __init__(self, backend: str, connection: str, url: str) -> None:
        self.backend = backend
        self.connection = connection
        self.url = url
        self.plugin = BACKENDS[backend]
        self._database = self.plugin.database
        # Imported before a test changes constants: the module would keep the changed ones.
        self._load: Callable[[str, str, int], Store] = self.plugin.load()

    def new_store(self, connection: str, url: str, size: int) -> Store:
        """Return a store, not yet open."""
        store = self._load(connection, url, size)
        return store if LOOP in self.plugin.runs_in else InThreads(store)

    @property
    def database(self) -> Database:
        """The kind of database behind the backend."""
        return find(self._database or "")

    def multiplexes(self, store: Any) -> bool:
        """Return whether the driver sends many requests at a time on one connection."""
        return bool(store._driver.multiplexed)

    @contextlib.asynccontextmanager
    async def store(self, size: int = 10, url: str = "") -> AsyncIterator[Store]:
        """An open store."""
        store = self.new_store(self.connection, url or self.url, size)
        await store.open()
        try:
            yield store
        finally:
            await store.close()

    async def sleep(self, seconds: float) -> None:
        """Let time pass for a database; the store in memory needs none."""
        if self._database:
            await asyncio.sleep(seconds)

    @contextlib.asynccontextmanager
    async def watched(self) -> AsyncIterator[Tuple[Wire, Store]]:
        """An open store, and the count of what its pages ask the database."""
        if self.database.embedded:
            async with traced(self.new_store(self.connection, self.url, 10)) as found:
                yield found
            return
        async with tapped(self.database, self.url, HOUSEKEEPING) as wire, self.store(
            url=wire.url
        ) as store:
            yield wire, store

    def insider(self, store: Store) -> AsyncContextManager[Any]:
        """The database, past the store."""
        return INSIDERS[self.plugin.layout or self._database](store, self.url)

    @contextlib.asynccontextmanager
    async def down(self) -> AsyncIterator[None]:
        """The database killed, and away for the length of the block."""
        away = private.down(self.database.name)
        await in_thread(away.__enter__)
        try:
            yield
        finally:
            await in_thread(lambda: away.__exit__(None, None, None))

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """Every process of the database stopped for the length of the block.

        An embedded one is locked by somebody else instead.
        """
        if self.database.embedded:
            with locked_file(self.database.address(self.url).path or ""):
                yield
            return
        root = int(read_state(folder(self.database.name))["pid"])
        pids = [root]
        try:
            # The one that starts the others first, so that none is started unseen meanwhile.
            os.kill(root, signal.SIGSTOP)
            pids = family(root)
            for pid in pids[1:]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSTOP)
            yield
        finally:
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)


def family(pid: int) -> List[int]:
    """A process and all below it; who vanishes meanwhile is not in it, or is without children."""
    children: List[int] = []
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            children += [int(child) for child in (task / "children").read_text().split()]
    return [pid] + [each for child in children for each in family(child)]


async def in_thread(function: Callable[[], Any]) -> Any:
    """Call it without stopping the event loop."""
    return await asyncio.get_event_loop().run_in_executor(None, function)


async def ask(store: Store, method: str, *arguments: Any) -> Any:
    """Call a method of ``Data`` in a unit of work of its own, as a page does it."""
    async with store.acquire() as data:
        return await getattr(data, method)(*arguments)


def unique(title: str) -> str:
    """A title that no other test and no earlier run uses."""
    return f"{title} {secrets.token_hex(4)}"


class Ballot(NamedTuple):
    """``store.Ballot``, with names."""

    session: str
    left: Any
    left_token: str
    right: Any
    right_token: str


async def new_ballot(store: Store, visitor: Visitor = VISITOR) -> Ballot:
    """Two stickers with their tokens."""
    return Ballot(*await ask(store, "ballot", visitor))


async def vote(store: Store, plus: str, minus: str, voter: int = NOBODY, moment: int = NOW) -> bool:
    """Vote; return whether the vote counted."""
    counted: bool = await ask(store, "cast_vote", plus, minus, voter, moment)
    return counted


async def counters(store: Store) -> Statistics:
    """The statistics now."""
    found: Statistics = await ask(store, "statistics")
    return found


async def raises(error: Type[StoreError], attempt: Awaitable[Any]) -> StoreError:
    """The error, which must be of that very class and one line."""
    result, raised = None, None
    try:
        result = await attempt
    except StoreError as refusal:
        raised = refusal
    assert raised is not None, f"{error.__name__} was not raised, but {result!r} returned"
    assert type(raised) is error, repr(raised)
    assert str(raised)
    assert "\n" not in str(raised)
    return raised


async def eventually(attempt: Callable[[], Awaitable[Any]], seconds: float, complaint: str) -> Any:
    """Try until the answer is true; AssertionError after that time."""
    deadline = time.monotonic() + seconds
    while True:
        answer = await attempt()
        if answer:
            return answer
        assert time.monotonic() < deadline, f"{complaint}; last answer {answer!r}"
        await asyncio.sleep(0.02)


async def answers(store: Store) -> bool:
    """Return whether a page gets its data now."""
    try:
        await new_ballot(store)
    except StoreError:
        return False
    return True


async def forgotten(insider: Any, session: str) -> bool:
    """Return whether the session was deleted."""
    try:
        await insider.session(session)
    except (KeyError, IndexError, TypeError):
        return True
    return False


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """The block ends in that time, and a little for a busy machine."""
    begun = time.monotonic()
    yield
    taken = time.monotonic() - begun
    assert taken < seconds + SLACK_SECONDS, f"took {taken:.2f} s"
