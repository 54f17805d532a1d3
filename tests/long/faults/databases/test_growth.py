"""Many times as many visitors as a database keeps, and what they take of its disk.

The limits are a fortieth of the usual ones, so that a minute and a half stands for an hour.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import pytest

from data_interface import BACKENDS
from data_interface.store import SESSIONS_KEPT, TOKENS_KEPT, VOTES_KEPT, Store
from databases import find
from tests.conftest import absent
from tests.long.faults.conftest import Extent
from tests.long.faults.page import Record
from tests.support.site_server import Databases
from tests.support.stores.bench import counters, new_ballot, vote
from tests.support.stores.insiders import INSIDERS, lowered, unhurried

TOKENS, SESSIONS, VOTES = TOKENS_KEPT // 40, SESSIONS_KEPT // 40, VOTES_KEPT // 40
# The visitors of a second, beside those who vote.
VISITORS = 1_000
VOTERS = 4
MOST_SECONDS = 240.0
# The cleaning may be so far behind the visitors, who all come at once.
SECONDS_BEHIND = 4
MIB = 2**20

COMERS = {
    "postgres": """
        INSERT INTO tokens (token, sticker, mate, expires)
        SELECT md5(n || random()::text), 1, '', now() + interval '10 min'
        FROM generate_series(1, {tokens}) AS n;
        INSERT INTO sessions (session, address, agent)
        SELECT md5(n || random()::text), '192.0.2.1', repeat('a', 100)
        FROM generate_series(1, {sessions}) AS n""",
    "mysql": """
        INSERT INTO tokens (token, sticker, mate, expires)
        SELECT MD5(CONCAT(seq, UUID())), 1, '', UTC_TIMESTAMP(6) + INTERVAL 10 MINUTE
        FROM seq_1_to_{tokens};
        INSERT INTO sessions (session, address, agent, seen)
        SELECT MD5(CONCAT(seq, UUID())), '192.0.2.1', REPEAT('a', 100), UTC_TIMESTAMP(6)
        FROM seq_1_to_{sessions}""",
}
DISK = {
    "postgres": "SELECT pg_database_size(current_database())",
    "mysql": "SELECT CAST(SUM(file_size) AS SIGNED) FROM information_schema.innodb_sys_tablespaces",
}

pytestmark = pytest.mark.fault(
    "ever more visitors",
    "A database keeps its limits of sessions and tokens within seconds, every visitor stays "
    "counted, every vote is taken, and the disk stops growing.",
    bound=300,
)


@pytest.mark.parametrize("backend", ["postgres", "asyncmy"])
def test_growth(backend: str, databases: Databases, extent: Extent, record: Record) -> None:
    database = BACKENDS[backend].database or ""
    if missing := find(database).missing():
        absent(missing)
    record.subject = f"{database}, {backend}"
    store = BACKENDS[backend].load()("pool", databases.hold(database), 2 * VOTERS)
    with lowered(TOKENS, SESSIONS, VOTES):
        asyncio.run(grow(store, database, extent.times(full=90, short=40), record))


async def grow(store: Store, database: str, seconds: int, record: Record) -> None:
    """Send visitors for so many seconds, and look each second at what is kept."""
    await store.open()
    try:
        async with INSIDERS[database](store, "") as insider:
            with unhurried(store):
                await watched(store, insider, database, seconds, record)
    finally:
        await store.close()


async def watched(store: Store, insider: Any, database: str, seconds: int, record: Record) -> None:
    before = (await counters(store)).visitors
    over = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        voting = [group.create_task(voter(store, over)) for _ in range(VOTERS)]
        kept = [one async for one in each_second(insider, database, seconds)]
        over.set()
    votes = sum(one.result() for one in voting)
    visitors = (await counters(store)).visitors - before
    tokens, sessions = max(one.tokens for one in kept), max(one.sessions for one in kept)
    half, quarter = seconds // 2, seconds // 4
    early = max(one.disk for one in kept[quarter:half])
    late = max(one.disk for one in kept[-quarter:])
    record.tried = f"{visitors:,} visitors, limits of {SESSIONS:,} sessions and {TOKENS:,} tokens"
    record.text = (
        f"{sessions:,} sessions and {tokens:,} tokens at most; {early / MIB:.0f} MB of disk at the "
        f"half, {late / MIB:.0f} MB at the end; {votes:,} votes, none refused"
    )
    assert visitors == seconds * VISITORS + votes
    assert tokens <= TOKENS + SECONDS_BEHIND * 2 * VISITORS
    assert sessions <= SESSIONS + SECONDS_BEHIND * VISITORS
    assert late < 1.25 * early


class Kept(NamedTuple):
    """The rows that a database keeps, and the bytes of its files."""

    tokens: int
    sessions: int
    disk: int


async def each_second(insider: Any, database: str, seconds: int) -> AsyncIterator[Kept]:
    """Send the visitors of so many seconds, and look after each of them."""
    connection = insider._connection
    script = COMERS[database].format(tokens=2 * VISITORS, sessions=VISITORS)
    deadline = time.monotonic() + MOST_SECONDS
    for turn in range(seconds):
        began = time.monotonic()
        assert began < deadline, f"only {turn} seconds' visitors came"
        await connection.script(script)
        await asyncio.sleep(max(0.0, began + 1 - time.monotonic()))
        disk = (await connection.fetch(DISK[database]))[0][0]
        tokens, sessions = await insider.kept()
        yield Kept(tokens, sessions, disk)


async def voter(store: Store, over: asyncio.Event) -> int:
    """Vote on ballot after ballot as a new visitor; return how many votes were taken."""
    cast = 0
    while not over.is_set():
        ballot = await new_ballot(store)
        assert await vote(store, ballot.left_token, ballot.right_token) is True
        cast += 1
    return cast
