"""Cases of PostgreSQL alone: two first starts at once, foreign schemas, lost indexes."""

from __future__ import annotations

import asyncio
import secrets
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest

from data_interface import BACKENDS, HOUSEKEEPING
from data_interface.history import fill
from data_interface.postgres import report_statements
from data_interface.postgres import statements as postgres_statements
from data_interface.postgres.function_store import BALLOT, BEST, WORST
from data_interface.postgres.psycopg_sync_store import PsycopgSyncDriver
from data_interface.postgres.store import PAGES
from data_interface.reports.rows import DAY, HOUR
from data_interface.sql.threads import ThreadPerPage, ThreadUnit
from data_interface.store import ID_LENGTH, Busy, NotFound, StoreError, Unavailable
from tests.live.databases.on_sql import hold, open_at_once, opened, store_at
from tests.support.stores.bench import (
    NOW,
    VISITOR,
    ask,
    counters,
    eventually,
    new_ballot,
    raises,
)

DATABASE = "postgres"


async def connected(url: str) -> Any:
    import asyncpg

    return await asyncpg.connect(url, timeout=5.0)


@asynccontextmanager
async def new_database(server: str) -> AsyncIterator[str]:
    """The URL of an empty database, dropped at the end."""
    name = f"test_{secrets.token_hex(4)}"
    admin = await connected(server)
    try:
        await admin.execute(f"CREATE DATABASE {name}")
        yield server.replace("/postgres?", f"/{name}?")
        await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    finally:
        admin.terminate()


async def objects(url: str) -> list[tuple[str, str]]:
    """Schema and name of everything in the database."""
    connection = await connected(url)
    rows = await connection.fetch(
        "SELECT relnamespace::regnamespace::text, relname FROM pg_class"
        " UNION ALL SELECT pronamespace::regnamespace::text, proname FROM pg_proc"
    )
    await connection.close()
    return sorted((row[0], row[1]) for row in rows)


async def test_first_starts_at_once_load_once(driver: str, server: str) -> None:
    async with new_database(server) as url:
        assert await open_at_once(driver, url) == (540, 16_200)


async def test_only_the_own_schema_is_touched(one_driver: str, server: str) -> None:
    async with new_database(server) as url:
        before = await objects(url)
        async with opened(one_driver, url) as store:
            await new_ballot(store)
        added = [each for each in await objects(url) if each not in before]
        assert added
        # The only other schema is where PostgreSQL itself keeps long values of our tables.
        assert {schema for schema, _ in added} <= {"sticker_site", "pg_toast"}


async def test_a_new_version_of_the_schema_keeps_the_data(one_driver: str, server: str) -> None:
    async with new_database(server) as url:
        async with opened(one_driver, url) as store:
            pack = await ask(store, "create_pack", "Mine")
            before = await counters(store)
        connection = await connected(url)
        await connection.execute("COMMENT ON SCHEMA sticker_site IS 'an older version'")
        await connection.close()
        async with opened(one_driver, url) as store:
            assert await ask(store, "pack", pack.id) == pack
            assert await counters(store) == before


async def test_a_refused_connection_is_busy(driver: str, server: str) -> None:
    """The role may do no more than the site needs once the schema exists."""
    async with new_database(server) as url, opened(driver, url):
        admin = await connected(url)
        role = f"visitor_{secrets.token_hex(4)}"
        await admin.execute(f"""
            CREATE ROLE {role} LOGIN CONNECTION LIMIT 2;
            GRANT USAGE ON SCHEMA sticker_site TO {role};
            GRANT ALL ON ALL TABLES IN SCHEMA sticker_site TO {role};
            GRANT ALL ON ALL SEQUENCES IN SCHEMA sticker_site TO {role};
        """)
        try:
            # A driver's own pool does not open with less connections than it is to have.
            mode = "gate" if "gate" in BACKENDS[driver].connections else "multi"
            as_visitor = url.replace("postgres@", f"{role}@")
            async with opened(driver, as_visitor, mode) as store:
                await new_ballot(store)
                async with store.acquire():
                    await raises(Busy, hold(store, 3))
        finally:
            await admin.execute(f"DROP OWNED BY {role}; DROP ROLE {role}")
            admin.terminate()


def test_a_connect_in_a_thread_ends_with_its_page() -> None:
    """psycopg's own goes on for two seconds."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"postgresql://postgres@127.0.0.1:{silent.getsockname()[1]}/postgres"
        mode: Any = ThreadPerPage(PsycopgSyncDriver(url, PAGES), 1)
        unit = ThreadUnit(mode)
        began = time.monotonic()
        unit.deadline = began + 0.3
        with pytest.raises(psycopg.OperationalError) as late:
            mode.take(unit).send(None)
        assert 0.3 <= time.monotonic() - began < 1.0
        assert isinstance(mode.driver.translate(late.value), Unavailable)


async def test_one_process_cleans(one_driver: str, server: str) -> None:
    async with new_database(server) as url, opened(one_driver, url), opened(one_driver, url):
        connection = await connected(url)

        async def cleaners() -> Any:
            return await connection.fetchval(
                "SELECT count(*) FROM pg_locks JOIN pg_database ON database = pg_database.oid"
                " WHERE locktype = 'advisory' AND datname = current_database()"
            )

        await eventually(cleaners, 5.0, "nobody cleans")
        await asyncio.sleep(1.5)
        assert await cleaners() == 1
        await connection.close()


async def test_pages_read_by_index(one_driver: str, server: str) -> None:
    async with new_database(server) as url, opened(one_driver, url):
        connection = await connected(url)
        await connection.execute("SET search_path = sticker_site")
        for name in (
            "RANDOM_STICKER",
            "COUNT_VIEW",
            "BEST",
            "WORST",
            "STICKERS",
            "ONE_STICKER",
        ):
            sql = getattr(postgres_statements, name)
            values = ", ".join("1" for number in range(1, 4) if f"${number}" in sql)
            await connection.execute(f"PREPARE {name} AS {sql}")
            call = f"EXECUTE {name}" + (f"({values})" if values else "")
            plan = "\n".join(row[0] for row in await connection.fetch(f"EXPLAIN {call}"))
            assert "Index" in plan, plan
            assert "Seq Scan" not in plan, plan
            assert "Sort" not in plan, plan
        await connection.close()


async def test_functions_that_are_pages_read_by_index(server: str) -> None:
    """The plans of a function's statements are not shown, but the scans of a table are counted."""
    async with new_database(server) as url, opened("postgresfunc", url):
        connection = await connected(url)
        await connection.execute("SET search_path = sticker_site")
        # A ballot whose second sticker is the first one draws again; with this seed none does.
        await connection.execute("SELECT setseed(0.25)")

        async def scans() -> tuple[int, int]:
            await connection.execute("SELECT pg_stat_force_next_flush()")
            sql = "SELECT seq_scan, idx_scan FROM pg_stat_user_tables WHERE relname = 'stickers'"
            sequential, by_index = await connection.fetchrow(sql)
            return sequential, by_index

        sequential, by_index = await scans()
        for sql, limit in ((BALLOT, ()), (BEST, (9,)), (WORST, (9,))):
            for _ in range(10):
                await connection.fetch(sql, None, "", "", *limit)
        # A ballot looks for both ends of the ids and for two stickers.
        assert await scans() == (sequential, by_index + 10 * (4 + 1 + 1))
        await connection.close()


async def test_a_pipeline_that_fails_keeps_nothing(server: str) -> None:
    async with new_database(server) as url, opened("psycopgpipeline", url) as store:
        before = await counters(store)
        count, wrong = (postgres_statements.COUNT_VIEW,), ("SELECT 1 / 0",)
        for requests in ((count, wrong, count), (wrong,)):
            async with store.acquire() as data:
                with pytest.raises(psycopg.errors.DivisionByZero):
                    await data._fetch_all(*requests)  # type: ignore[attr-defined]
        assert await counters(store) == before
        await new_ballot(store)


async def test_a_site_without_two_stickers_has_no_ballot(driver: str, server: str) -> None:
    async with new_database(server) as url, opened(driver, url) as store:
        admin = await connected(url)
        for left in (1, 0):
            await admin.execute("DELETE FROM sticker_site.stickers WHERE id > $1", left)
            await raises(NotFound, new_ballot(store))
            session, shown = await ask(store, "podium", VISITOR, 9, True)
            assert (len(session), len(shown)) == (ID_LENGTH, left)
        await admin.close()


async def test_the_votes_of_a_day_are_read_by_index(one_driver: str, server: str) -> None:
    """The heavy reports are slow because of their sums, not of their searches."""
    async with new_database(server) as url, opened(one_driver, url) as store:
        await fill(store, NOW)
        connection = await connected(url)
        await connection.execute("SET search_path = sticker_site; ANALYZE votes")
        for name, values in (
            ("FIGURES", (NOW - DAY, NOW)),
            ("PER_SLOT", (NOW - HOUR, NOW, 60)),
            ("WINNERS", (NOW - DAY, NOW, 5)),
            ("LATEST", (NOW, 20)),
        ):
            sql = getattr(report_statements, name)
            await connection.execute(f"PREPARE {name} AS {sql}")
            call = f"EXECUTE {name}({', '.join(map(str, values))})"
            plan = "\n".join(row[0] for row in await connection.fetch(f"EXPLAIN {call}"))
            assert "votes_by_time" in plan, plan
            assert "Seq Scan on votes" not in plan, plan
        await connection.close()


async def test_connections_are_set_alike_and_keep_nothing_open(driver: str, server: str) -> None:
    """Every driver has the same name and settings, and no transaction between requests."""
    async with new_database(server) as url, opened(driver, url) as store:
        await new_ballot(store)
        connection = await store._driver.connect()  # type: ignore[attr-defined]
        for name, value in PAGES.settings.items():
            assert (await connection.fetch(f"SHOW {name}"))[0][0] == value
        await store._driver.disconnect(connection)  # type: ignore[attr-defined]
        admin = await connected(url)

        async def both() -> Any:
            rows = await admin.fetch(
                "SELECT application_name, state FROM pg_stat_activity"
                " WHERE datname = current_database() AND application_name LIKE 'sticker%'"
            )
            return {row[0] for row in rows} == {PAGES.application_name, HOUSEKEEPING} and rows

        # The cleaning connects by itself, and may be about to.
        rows = await eventually(both, 10.0, "not both are connected")
        admin.terminate()
        assert {row[1] for row in rows} <= {"idle", "active"}


async def test_a_url_s_own_options_stay(driver: str, server: str) -> None:
    store = store_at(driver, server + "&options=-c%20work_mem%3D8MB")
    connection = await store._driver.connect()
    assert (await connection.fetch("SHOW work_mem"))[0][0] == "8MB"
    assert (await connection.fetch("SHOW search_path"))[0][0] == "sticker_site"
    await store._driver.disconnect(connection)


async def test_a_statement_means_the_same_to_every_driver(driver: str, server: str) -> None:
    """Parameters out of order and more than once, and a percent sign beside them."""
    store = store_at(driver, server)
    connection = await store._driver.connect()
    statement = "SELECT $2::text, $1::bigint % 5, $2::text || '%s'"
    for _ in range(7):
        found = await connection.fetch(statement, 7, "a")
        assert [tuple(row) for row in found] == [("a", 2, "a%s")]
    assert [tuple(row) for row in await connection.fetch("SELECT 7 % 5")] == [(2,)]
    assert list(await connection.fetch("SET work_mem = '8MB'")) == []
    await store._driver.disconnect(connection)


async def test_a_text_that_postgresql_cannot_keep_is_no_outage(driver: str, server: str) -> None:
    async with new_database(server) as url, opened(driver, url) as store:
        await raises(StoreError, ask(store, "create_pack", "a\0b"))
        await new_ballot(store)
