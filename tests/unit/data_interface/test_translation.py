"""Each driver's errors become the store's, which decide what a visitor and the log see."""

from __future__ import annotations

from typing import Any

import aiomysql
import asyncmy.errors
import asyncpg
import psycopg
import pytest
from sqlalchemy.exc import DBAPIError

from data_interface.mysql.aiomysql_store import AiomysqlDriver
from data_interface.mysql.asyncmy_store import AsyncmyDriver
from data_interface.mysql.refusals import CONFLICTS as MYSQL_CONFLICTS
from data_interface.postgres.asyncpg_store import AsyncpgDriver
from data_interface.postgres.psycopg_store import PsycopgDriver
from data_interface.postgres.refusals import CONFLICTS as POSTGRES_CONFLICTS
from data_interface.postgres.sqlalchemy_store.driver import SqlalchemyDriver
from data_interface.store import Busy, Conflict, NotFound, Refused, StoreError, Unavailable

POSTGRES = [
    ("53300", Busy),  # too many connections
    ("28P01", Refused),  # a wrong password
    ("3D000", Refused),  # no such database
    ("42501", Refused),  # insufficient privilege
    ("57P01", Unavailable),  # it shuts down
    ("57P03", Unavailable),  # it starts up
    ("22012", StoreError),  # division by zero
]
MYSQL = [
    (1040, Busy),  # too many connections
    (1203, Busy),
    (1205, Busy),  # the wait for a lock took too long
    (1213, Busy),  # deadlock
    (1045, Refused),  # a wrong password
    (1049, Refused),  # no such database
    (1142, Refused),  # insufficient privilege
    (1053, Unavailable),  # it shuts down
    (2013, Unavailable),  # the connection was lost
    (1064, StoreError),  # a syntax error
]
TARANTOOL = [
    (2, Busy),  # its memory is full
    (7, Unavailable),  # it is read-only
    (116, Unavailable),  # it starts up
    (45, Refused),  # no such user
    (47, Refused),  # a wrong password
    (20001, NotFound),  # raised by our procedures, as the next one
    (20002, Conflict),
    (1, StoreError),
]


def check(driver: Any, error: Exception, kind: type[StoreError]) -> None:
    """An instance without a connection is enough."""
    translated = driver.__new__(driver).translate(error)
    assert type(translated) is kind
    assert "\n" not in str(translated)


@pytest.mark.parametrize(("state", "kind"), POSTGRES)
def test_postgresql(state: str, kind: type[StoreError]) -> None:
    error = asyncpg.PostgresError.new({"C": state, "M": "a line\nand another"})
    check(AsyncpgDriver, error, kind)
    found = psycopg.errors.lookup(state)("a line\nand another")
    check(PsycopgDriver, found, kind)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Connection refused", Unavailable),
        ("FATAL:  the database system is starting up", Unavailable),
        ("FATAL:  terminating connection due to administrator command", Unavailable),
        ("FATAL:  sorry, too many clients already", Busy),
        ('FATAL:  password authentication failed for user "x"', Refused),
    ],
)
def test_a_failed_connect_of_libpq_is_known_by_its_text(text: str, kind: type[StoreError]) -> None:
    where = 'connection to server at "127.0.0.1", port 5432 failed: '
    check(PsycopgDriver, psycopg.OperationalError(where + text), kind)


@pytest.mark.parametrize(("number", "kind"), MYSQL)
def test_mariadb(number: int, kind: type[StoreError]) -> None:
    check(AiomysqlDriver, aiomysql.OperationalError(number, "a line\nand another"), kind)
    check(AsyncmyDriver, asyncmy.errors.OperationalError(number, "a line\nand another"), kind)


@pytest.mark.parametrize(("code", "kind"), TARANTOOL)
def test_tarantool(code: int, kind: type[StoreError]) -> None:
    driver, errors = asynctnt()
    check(driver, errors.TarantoolDatabaseError(code, "a line", None), kind)


def asynctnt() -> tuple[Any, Any]:
    """Return the driver and its errors; it has no wheel for CPython 3.14."""
    errors = pytest.importorskip("asynctnt.exceptions")
    from data_interface.tarantool.asynctnt_store import AsynctntDriver

    return AsynctntDriver, errors


@pytest.mark.parametrize(
    ("driver", "error"),
    [
        (AsyncpgDriver, asyncpg.InterfaceError("connection is closed")),
        (PsycopgDriver, psycopg.InterfaceError("the connection is closed")),
        (AiomysqlDriver, aiomysql.InterfaceError("(0, '')")),
        (AsyncmyDriver, asyncmy.errors.InterfaceError("(0, '')")),
    ],
)
def test_a_lost_connection(driver: Any, error: Exception) -> None:
    check_lost(driver, error)


def test_a_lost_connection_to_tarantool() -> None:
    driver, errors = asynctnt()
    check_lost(driver, errors.TarantoolNotConnectedError("not connected"))


def check_lost(driver: Any, error: Exception) -> None:
    check(driver, error, Unavailable)
    check(driver, ConnectionResetError("lost"), Unavailable)
    assert driver.__new__(driver).translate(ValueError("ours")) is None


@pytest.mark.parametrize(("state", "kind"), POSTGRES)
def test_sqlalchemy_wraps_the_error_of_asyncpg(state: str, kind: type[StoreError]) -> None:
    original = Exception("wrapped")
    original.__cause__ = asyncpg.PostgresError.new({"C": state, "M": "a line"})
    driver = SqlalchemyDriver.__new__(SqlalchemyDriver)
    driver._asyncpg = AsyncpgDriver.__new__(AsyncpgDriver)
    assert type(driver.translate(DBAPIError("SELECT 1", {}, original))) is kind


def test_a_conflict_is_known_by_its_code() -> None:
    for taken, full in (("23505", "23503"), (1062, 1451)):
        conflicts: Any = POSTGRES_CONFLICTS if isinstance(taken, str) else MYSQL_CONFLICTS
        assert ("title" in conflicts[taken], "stickers" in conflicts[full]) == (True, True)
