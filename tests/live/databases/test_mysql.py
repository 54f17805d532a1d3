"""Cases of MariaDB alone: first starts at once, others' tables, warnings, indexes."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pymysql

from data_interface import HOUSEKEEPING
from data_interface.history import fill
from data_interface.mysql import report_statements, statements
from data_interface.mysql.upkeep import CLEANING_LOCK, LAYOUT
from data_interface.reports.rows import DAY, HOUR, Vote
from data_interface.store import Busy, Refused, Store
from databases import find
from databases.wire import tapped
from tests.live.databases.on_sql import hold, open_at_once, opened, store_at
from tests.support.stores.bench import (
    NOW,
    VISITOR,
    ask,
    counters,
    eventually,
    new_ballot,
    raises,
    vote,
)

DATABASE = "mysql"


@asynccontextmanager
async def connected(driver: str, url: str) -> AsyncIterator[Any]:
    """A connection as ``sql.data.Connection`` has it, which is asked as root."""
    made = store_at(driver, url)._drivers.setup
    connection = await made.connect()
    try:
        await connection.script("SET sql_notes = 0")
        yield connection
    finally:
        await made.disconnect(connection)


@asynccontextmanager
async def new_database(driver: str, server: str) -> AsyncIterator[str]:
    """The URL of an empty database, dropped at the end."""
    name = f"test_{secrets.token_hex(4)}"
    async with connected(driver, server) as admin:
        await admin.script(f"CREATE DATABASE {name}")
        yield server.replace("/?", f"/{name}?")
        await admin.script(f"DROP DATABASE {name}")


async def first(connection: Any, statement: str, *arguments: Any) -> Any:
    """The first value of an answer."""
    return (await connection.fetch(statement, *arguments))[0][0]


async def test_first_starts_at_once_load_once(driver: str, server: str) -> None:
    async with new_database(driver, server) as url:
        assert await open_at_once(driver, url) == (540, 16_200)


async def test_a_url_without_a_name_means_the_site_s_database(one_driver: str, server: str) -> None:
    async with opened(one_driver, server), connected(one_driver, server) as admin:
        assert await first(admin, "SELECT COUNT(*) FROM sticker_site.stickers") >= 16_200


async def test_somebody_s_database_is_left_alone(one_driver: str, server: str) -> None:
    async with new_database(one_driver, server) as url, connected(one_driver, url) as admin:
        await admin.script("CREATE TABLE sessions (mine INT)")
        error = await raises(Refused, store_at(one_driver, url).open())
        assert "MYSQL_URL" in str(error)
        rows = await admin.fetch("SHOW TABLES")
        assert [row[0] for row in rows] == ["sessions"]


async def test_a_database_of_the_toolbench_is_nobody_s(one_driver: str, server: str) -> None:
    async with new_database(one_driver, server) as url:
        async with connected(one_driver, url) as admin:
            await admin.script("CREATE TABLE toolbench_orders (id INT)")
        async with opened(one_driver, url) as store:
            await new_ballot(store)


async def test_a_new_version_of_the_schema_keeps_the_data(one_driver: str, server: str) -> None:
    async with new_database(one_driver, server) as url:
        async with opened(one_driver, url) as store:
            pack = await ask(store, "create_pack", "Mine")
            before = await counters(store)
        async with connected(one_driver, url) as admin:
            await admin.script(f"UPDATE {LAYOUT} SET version = 'an older one'")  # noqa: S608
        async with opened(one_driver, url) as store:
            assert await ask(store, "pack", pack.id) == pack
            assert await counters(store) == before


async def test_a_refused_connection_is_busy(driver: str, server: str) -> None:
    """The user may do no more than the site needs once the schema exists."""
    async with new_database(driver, server) as url, opened(driver, url):
        name = url.partition("@/")[2].partition("?")[0]
        visitor = f"visitor_{secrets.token_hex(4)}"
        rights = "SELECT, INSERT, UPDATE, DELETE, EXECUTE"
        async with connected(driver, server) as admin:
            await admin.script(f"CREATE USER {visitor}@localhost")
            await admin.script(f"""
                GRANT {rights} ON {name}.* TO {visitor}@localhost;
                GRANT USAGE ON *.* TO {visitor}@localhost WITH MAX_USER_CONNECTIONS 3;
            """)
            async with opened(driver, url.replace("root@", f"{visitor}@"), "gate") as store:
                await new_ballot(store)
                async with store.acquire():
                    await raises(Busy, hold(store, 3))
            await admin.script(f"DROP USER {visitor}@localhost")


async def test_one_process_cleans(one_driver: str, server: str) -> None:
    async with (
        new_database(one_driver, server) as url,
        opened(one_driver, url),
        opened(one_driver, url),
        connected(one_driver, url) as admin,
    ):

        async def cleaner() -> Any:
            lock = "SELECT IS_USED_LOCK(CONCAT($1, MD5(DATABASE())))"
            return await first(admin, lock, CLEANING_LOCK)

        chosen = await eventually(cleaner, 5.0, "nobody cleans")
        await asyncio.sleep(1.5)
        assert await cleaner() == chosen


async def test_pages_read_by_index(one_driver: str, server: str) -> None:
    """``EXPLAIN`` names each table's key, its type of access, and what else is done."""
    async with opened(one_driver, server), connected(one_driver, server) as admin:
        await admin.script("USE sticker_site")
        for name, *values in (
            ("RANDOM_STICKER", 12345),
            ("COUNT_VIEW",),
            ("BEST", 9),
            ("WORST", 9),
            ("STICKERS", 1),
            ("ONE_STICKER", 1, 1),
        ):
            rows = await explained(admin, getattr(statements, name), *values)
            assert not any("filesort" in str(row) for row in rows), (name, rows)
            assert "ALL" not in {row[3] for row in rows}, (name, rows)
            # What the index reads it reads from: no more of it than is asked for.
            assert all(int(row[8] or 0) < 16_000 for row in rows if row[3] == "index"), rows


async def test_the_votes_of_a_day_are_read_by_index(one_driver: str, server: str) -> None:
    """The heavy reports are slow because of their sums, not of their searches."""
    async with new_database(one_driver, server) as url, opened(one_driver, url) as store:
        await fill(store, NOW)
        async with connected(one_driver, url) as admin:
            await admin.script("ANALYZE TABLE votes")
            for name, *values in (
                ("FIGURES", NOW - DAY, NOW),
                ("PER_SLOT", NOW - HOUR, NOW, 60),
                ("WINNERS", NOW - DAY, NOW, 5),
                ("LATEST", NOW, 20),
            ):
                rows = await explained(admin, getattr(report_statements, name), *values)
                assert any(row[5] == "votes_by_time" for row in rows), (name, rows)


async def test_a_vote_and_the_cleaning_read_by_index(one_driver: str, server: str) -> None:
    """The database counts how many of thousands of rows the procedures read."""
    async with new_database(one_driver, server) as url, connected(one_driver, url) as admin:
        async with opened(one_driver, url) as store:
            ballot = await new_ballot(store)
        await fill_up(admin, 1, 5000)
        await fill_up(admin, 5001, 6000, token_seconds=-1)
        tokens = ballot.left_token, ballot.right_token
        for statement, values, done, most in (
            (statements.CAST_VOTE, (*tokens, 1, NOW), 1, 0),
            ("CALL clean_tokens($1, $2)", (10**6, 10), 10, 30),
            ("CALL clean_tokens($1, $2)", (10, 1010), 1010, 3030),
            ("CALL clean_votes($1, $2)", (1000, 10), 10, 30),
        ):
            await admin.script("FLUSH STATUS")
            assert await first(admin, statement, *values) == done
            rows = await admin.fetch("SHOW STATUS LIKE 'Handler_read%'")
            read = {name: int(value) for name, value in rows}
            # One after the other: from the start, by an index, without one.
            steps = ("first", "next", "prev", "rnd", "rnd_next")
            walked = sum(read[f"Handler_read_{step}"] for step in steps)
            assert walked <= most, (statement, read)
            assert read["Handler_read_key"] <= 20 + most, (statement, read)


async def fill_up(admin: Any, begin: int, end: int, token_seconds: int = 3600) -> None:
    """Insert tokens that last for so long, sessions and votes with these numbers."""
    many = f"FROM seq_{begin}_to_{end}"
    await admin.script(f"""
        INSERT INTO tokens (token, sticker, mate, expires)
        SELECT MD5(seq), 1, MD5(-seq), UTC_TIMESTAMP(6) + INTERVAL {token_seconds} SECOND {many};
        INSERT INTO sessions (session, address, agent, seen)
        SELECT MD5(seq), '', '', UTC_TIMESTAMP(6) {many};
        INSERT INTO votes (cast_at, winner, loser, voter) SELECT {NOW} - seq, 1, 2, 0 {many}
    """)


async def test_the_old_goes_while_votes_are_cast(one_driver: str, server: str) -> None:
    """After an hour of load there is much to delete: meanwhile no page fails."""
    async with (
        new_database(one_driver, server) as url,
        connected(one_driver, url) as admin,
        opened(one_driver, url) as store,
    ):
        await fill_up(admin, 1, 20_000, token_seconds=-1)
        left = 20_000
        over = time.monotonic() + 20.0
        while left and time.monotonic() < over:
            assert await asyncio.gather(*[one_vote(store) for _ in range(8)]) == [True] * 8
            expired = "SELECT COUNT(*) FROM tokens WHERE expires <= UTC_TIMESTAMP(6)"
            left = await first(admin, expired)
        assert not left


async def one_vote(store: Store) -> bool:
    """Vote on a new ballot."""
    ballot = await new_ballot(store)
    return await vote(store, ballot.left_token, ballot.right_token)


async def test_the_history_is_filled_beside_a_vote_that_waits_for_it(
    one_driver: str, server: str
) -> None:
    """If it waited for the vote, too, MariaDB would refuse one of them: a deadlock (1213)."""
    async with (
        new_database(one_driver, server) as url,
        opened(one_driver, url) as store,
        connected(one_driver, url) as voter,
    ):
        await voter.script("START TRANSACTION")
        cast = "INSERT INTO votes (cast_at, winner, loser, voter) VALUES ($1, 1, 2, 0)"
        await voter.fetch(cast, NOW)
        assert await ask(store, "remember", [Vote(NOW - DAY, 1, 2, 0)]) == 1
        await voter.script("ROLLBACK")


async def explained(admin: Any, statement: str, *values: Any) -> Any:
    """(id, select_type, table, type, possible_keys, key, key_len, ref, rows, Extra) each."""
    return await admin.fetch(f"EXPLAIN {statement}", *values)


async def test_connections_are_set_alike_and_keep_nothing_open(driver: str, server: str) -> None:
    """Every driver has the same name and database, and no transaction between requests."""
    async with new_database(driver, server) as url, opened(driver, url) as store:
        await new_ballot(store)
        name = url.partition("@/")[2].partition("?")[0]
        connection = await store._driver.connect()  # type: ignore[attr-defined]
        settings = "SELECT DATABASE(), @@autocommit, @@character_set_client, @@in_transaction"
        found = (await connection.fetch(settings))[0]
        await store._driver.disconnect(connection)  # type: ignore[attr-defined]
        assert tuple(found) == (name, 1, "utf8mb4", 0)


async def test_connections_say_what_they_are_for(driver: str, server: str) -> None:
    async with (
        tapped(find("mysql"), server, HOUSEKEEPING) as wire,
        opened(driver, wire.url) as store,
    ):
        await new_ballot(store)
        assert {tap.is_background for tap in wire._taps} == {False, True}


async def test_nothing_that_a_page_asks_leaves_a_warning(one_driver: str, server: str) -> None:
    """A driver would ask for it: one more request, and a warning of its own."""
    async with new_database(one_driver, server) as url, connected(one_driver, url) as admin:
        async with opened(one_driver, url):
            """Makes the schema. Cleaning ends with it."""
        await admin.script("SET sql_notes = 1")
        await fill_up(admin, 1, 100, token_seconds=-1)
        await fill_up(admin, 101, 200)
        one, other = "0" * 32, "1" * 32
        for statement, values, answer in (
            (statements.RANDOM_STICKER, (12345,), None),
            (statements.NEW_ID, (), None),
            (statements.KEEP_TOKEN, (one, 1, other), None),
            (statements.KEEP_TOKEN, (other, 2, one), None),
            (statements.TOUCH_SESSION, ("a session", "an address", "an agent"), None),
            (statements.TOUCH_SESSION, ("a session", "an address", "an agent"), None),
            (statements.COUNT_VIEW, (), None),
            (statements.CAST_VOTE, (one, other, 1, NOW), 1),
            (statements.CAST_VOTE, (one, other, 1, NOW), 0),
            (statements.STATISTICS, (), None),
            ("CALL clean_tokens($1, $2)", (10, 60), 60),
            ("CALL clean_tokens($1, $2)", (10, 200), None),
            ("CALL clean_sessions($1, $2, $3)", (10**6, 60, 10), 10),
            ("CALL clean_votes($1, $2)", (60, 10), 10),
            (report_statements.REMEMBER, (f"[[{NOW - 9 * DAY}, 1, 2, 0]]",), 1),
        ):
            rows = await admin.fetch(statement, *values)
            assert not await admin.fetch("SHOW WARNINGS"), statement
            assert answer is None or rows[0][0] == answer, (statement, rows)


async def test_connections_that_died_unseen_are_not_handed_out(driver: str, server: str) -> None:
    """Killed while the event loop stood still: nobody has read their end yet."""
    async with new_database(driver, server) as url, opened(driver, url) as store:
        await asyncio.gather(*[new_ballot(store) for _ in range(8)])
        assert kill_all(url) >= 4
        began = time.monotonic()
        await ask(store, "ballot", VISITOR)
        assert time.monotonic() - began < 1


def kill_all(url: str) -> int:
    """End the connections of a database, without a turn of the event loop; how many."""
    where = find("mysql").address(url)
    of_all = "SELECT id FROM information_schema.processlist WHERE db = %s"
    with (
        pymysql.connect(unix_socket=where.path, user="root") as killer,
        killer.cursor() as cursor,
    ):
        cursor.execute(of_all, (where.name,))
        found = cursor.fetchall()
        for row in found:
            cursor.execute("KILL HARD CONNECTION %s", row)
    time.sleep(0.2)
    return len(found)


async def test_a_statement_means_the_same_to_every_driver(driver: str, server: str) -> None:
    """Parameters out of order and more than once, and what looks like an escape in a text."""
    async with connected(driver, server) as admin:
        text = 'it\'s \\ "so" %s $1 \U0001f600'
        row = (await admin.fetch("SELECT $2, $1, $2, '%'", 5, text))[0]
        assert tuple(row) == (text, 5, text, "%")
