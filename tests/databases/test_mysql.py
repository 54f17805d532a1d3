"""What MariaDB alone can get wrong: first starts at once, others' tables, warnings, indexes."""

from __future__ import annotations

import asyncio
import importlib.util
import platform
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from data_interface import BACKENDS, HOUSEKEEPING
from data_interface.history import fill
from data_interface.mysql import report_statements, statements
from data_interface.mysql.upkeep import CLEANING_LOCK, LAYOUT
from data_interface.reports.rows import DAY, HOUR
from data_interface.store import Busy, Refused, Store
from databases import find
from databases.database import DatabaseError
from databases.mysql import server as private_server
from databases.wire import tapped
from tests.conftest import absent
from tests.stores.bench import NOW, ask, counters, eventually, new_ballot, raises
from tests.support.site_server import Databases

DRIVERS = [
    name
    for name, backend in BACKENDS.items()
    if backend.database == "mysql" and backend.suits(platform.python_version())
]


@pytest.fixture(scope="module")
def server(databases: Databases) -> str:
    """The URL of the run's private server."""
    missing = find("mysql").missing()
    if missing:
        absent(missing)
    return databases.hold("mysql")


@pytest.fixture(params=DRIVERS)
def driver(request: pytest.FixtureRequest) -> str:
    """A backend on MariaDB, each in its turn."""
    for need in BACKENDS[request.param].needs:
        if importlib.util.find_spec(need) is None:
            absent(f"{request.param} needs the Python package {need}: run `make env`")
    return str(request.param)


def store_at(driver: str, url: str, mode: str = "pool") -> Any:
    """A store with a few connections, not open."""
    return BACKENDS[driver].load()(mode, url, 4)


@asynccontextmanager
async def connected(driver: str, url: str) -> AsyncIterator[Any]:
    """A connection as ``sql.data.Connection`` has it, which is asked as root."""
    made = store_at(driver, url)._drivers.founding
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


@asynccontextmanager
async def opened(driver: str, url: str, mode: str = "pool") -> AsyncIterator[Store]:
    """An open store."""
    store: Store = store_at(driver, url, mode)
    await store.open()
    try:
        yield store
    finally:
        await store.close()


async def first(connection: Any, statement: str, *arguments: Any) -> Any:
    """The first value of an answer."""
    return (await connection.fetch(statement, *arguments))[0][0]


def test_first_starts_at_once_load_once(driver: str, server: str) -> None:
    async def check() -> None:
        async with new_database(driver, server) as url:
            stores = [store_at(driver, url) for _ in range(4)]
            await asyncio.gather(*[store.open() for store in stores])
            statistics = await counters(stores[0])
            for store in stores:
                await store.close()
            assert statistics[:2] == (540, 16_200)

    asyncio.run(check())


def test_a_url_without_a_name_means_the_site_s_own_database(driver: str, server: str) -> None:
    async def check() -> None:
        async with opened(driver, server), connected(driver, server) as admin:
            assert await first(admin, "SELECT COUNT(*) FROM sticker_site.stickers") >= 16_200

    asyncio.run(check())


def test_somebody_s_database_is_left_alone(driver: str, server: str) -> None:
    async def check() -> None:
        async with new_database(driver, server) as url, connected(driver, url) as admin:
            await admin.script("CREATE TABLE sessions (mine INT)")
            error = await raises(Refused, store_at(driver, url).open())
            assert "MYSQL_URL" in str(error)
            rows = await admin.fetch("SHOW TABLES")
            assert [row[0] for row in rows] == ["sessions"]

    asyncio.run(check())


def test_a_new_version_of_the_schema_keeps_the_data(driver: str, server: str) -> None:
    async def check() -> None:
        async with new_database(driver, server) as url:
            async with opened(driver, url) as store:
                pack = await ask(store, "create_pack", "Mine")
                before = await counters(store)
            async with connected(driver, url) as admin:
                await admin.script(f"UPDATE {LAYOUT} SET version = 'an older one'")  # noqa: S608
            async with opened(driver, url) as store:
                assert await ask(store, "pack", pack.id) == pack
                assert await counters(store) == before

    asyncio.run(check())


def test_a_refused_connection_is_busy(driver: str, server: str) -> None:
    """By a user who may do no more than the site needs once the schema is there."""

    async def check() -> None:
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
                        await raises(Busy, crowd(store, 3))
                await admin.script(f"DROP USER {visitor}@localhost")

    asyncio.run(check())


async def crowd(store: Store, depth: int) -> None:
    """Hold that many units of work at once."""
    if depth:
        async with store.acquire():
            await crowd(store, depth - 1)


def test_one_process_cleans(driver: str, server: str) -> None:
    async def check() -> None:
        async with (
            new_database(driver, server) as url,
            opened(driver, url),
            opened(driver, url),
            connected(driver, url) as admin,
        ):

            async def cleaner() -> Any:
                lock = "SELECT IS_USED_LOCK(CONCAT($1, MD5(DATABASE())))"
                return await first(admin, lock, CLEANING_LOCK)

            chosen = await eventually(cleaner, 5.0, "nobody cleans")
            await asyncio.sleep(1.5)
            assert await cleaner() == chosen

    asyncio.run(check())


def test_pages_read_by_index(driver: str, server: str) -> None:
    """``EXPLAIN`` names each table's key, its type of access, and what else is done."""

    async def check() -> None:
        async with opened(driver, server), connected(driver, server) as admin:
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

    asyncio.run(check())


def test_the_votes_of_a_day_are_read_by_index(driver: str, server: str) -> None:
    """What makes the heavy reports heavy is what they sum."""

    async def check() -> None:
        async with new_database(driver, server) as url, opened(driver, url) as store:
            await fill(store, NOW)
            async with connected(driver, url) as admin:
                await admin.script("ANALYZE TABLE votes")
                for name, *values in (
                    ("FIGURES", NOW - DAY, NOW),
                    ("PER_SLOT", NOW - HOUR, NOW, 60),
                    ("WINNERS", NOW - DAY, NOW, 5),
                    ("LATEST", NOW, 20),
                ):
                    rows = await explained(admin, getattr(report_statements, name), *values)
                    assert any(row[5] == "votes_by_time" for row in rows), (name, rows)

    asyncio.run(check())


async def explained(admin: Any, statement: str, *values: Any) -> Any:
    """(id, select_type, table, type, possible_keys, key, key_len, ref, rows, Extra) each."""
    return await admin.fetch(f"EXPLAIN {statement}", *values)


def test_connections_are_set_alike_and_keep_nothing_open(driver: str, server: str) -> None:
    """By whichever driver: one name, the site's database, no transaction between two requests."""

    async def check() -> None:
        async with new_database(driver, server) as url, opened(driver, url) as store:
            await new_ballot(store)
            name = url.partition("@/")[2].partition("?")[0]
            connection = await store._driver.connect()  # type: ignore[attr-defined]
            settings = "SELECT DATABASE(), @@autocommit, @@character_set_client, @@in_transaction"
            found = (await connection.fetch(settings))[0]
            await store._driver.disconnect(connection)  # type: ignore[attr-defined]
            assert tuple(found) == (name, 1, "utf8mb4", 0)

    asyncio.run(check())


def test_connections_say_what_they_are_for(driver: str, server: str) -> None:
    async def check() -> None:
        async with (
            tapped(find("mysql"), server, HOUSEKEEPING) as wire,
            opened(driver, wire.url) as store,
        ):
            await new_ballot(store)
            assert {tap.keeps_house for tap in wire._taps} == {False, True}

    asyncio.run(check())


def test_nothing_that_a_page_asks_leaves_a_warning(driver: str, server: str) -> None:
    """A driver would ask for it: one more request, and a warning of its own."""

    async def check() -> None:
        async with opened(driver, server), connected(driver, server) as admin:
            await admin.script("USE sticker_site; SET sql_notes = 1")
            for statement, values in (
                (statements.CAST_VOTE, ("0" * 32, "1" * 32, 1, NOW)),
                (statements.TOUCH_SESSION, ("a session", "an address", "an agent")),
                (statements.COUNT_VIEW, ()),
                (statements.STATISTICS, ()),
                ("CALL clean_tokens($1, $2)", (100, 10)),
                ("CALL clean_sessions($1, $2, $3)", (10**6, 10**6, 10)),
                ("CALL clean_votes($1, $2, $3)", (10**9, 10**6, 10)),
            ):
                await admin.fetch(statement, *values)
                assert not await admin.fetch("SHOW WARNINGS"), statement

    asyncio.run(check())


def test_a_statement_means_the_same_to_every_driver(driver: str, server: str) -> None:
    """Parameters out of order and more than once, and what looks like an escape in a text."""

    async def check() -> None:
        async with connected(driver, server) as admin:
            text = 'it\'s \\ "so" %s $1 \U0001f600'
            row = (await admin.fetch("SELECT $2, $1, $2, '%'", 5, text))[0]
            assert tuple(row) == (text, 5, text, "%")

    asyncio.run(check())


def test_a_missing_program_is_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(private_server, "PLACES", str(tmp_path))
    said = find("mysql").missing()
    assert said == "no mariadbd: make system, or apt-get install mariadb-server-core"
    assert find("mysql").version() is None


def test_a_server_that_cannot_start_is_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = find("mysql").missing()
    if missing:
        absent(missing)
    monkeypatch.setitem(private_server.SETTINGS, "no_such_setting", "1")
    with pytest.raises(DatabaseError, match=r"^MariaDB did not start: [^\n]*$"):
        find("mysql").start(tmp_path)
