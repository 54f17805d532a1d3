"""URLs of databases: where each leads, as whom, and what a wrong one gets to hear."""

from __future__ import annotations

import pytest

from databases import DATABASES, find
from runtime.address import Address, AddressError, moved

HERE = Address("/t/here.sock", "", 0)
THERE = Address(None, "127.0.0.1", 9)


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("postgresql://db", Address(None, "db", 5432)),
        ("postgres://me:p%40%2Fw@db:5433/x", Address(None, "db", 5433, "me", "p@/w", "x")),
        ("postgresql://me@/x?host=db&port=5434", Address(None, "db", 5434, "me", None, "x")),
        (
            "postgresql://me@/x?host=/run/a%20b",
            Address("/run/a b/.s.PGSQL.5432", "", 5432, "me", None, "x"),
        ),
        (
            "postgresql://me@/x?host=/run&port=7",
            Address("/run/.s.PGSQL.7", "", 7, "me", None, "x"),
        ),
        ("postgresql://%2Frun/x", Address("/run/.s.PGSQL.5432", "", 5432, None, None, "x")),
        ("postgresql:///x", Address(None, "localhost", 5432, None, None, "x")),
        ("postgresql://[::1]:5433/x", Address(None, "::1", 5433, None, None, "x")),
    ],
)
def test_postgresql(url: str, found: Address) -> None:
    assert find("postgres").address(url) == found


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("tarantool://site@db", Address(None, "db", 3301, "site")),
        ("tarantool://me:p%3Aw@db:3302", Address(None, "db", 3302, "me", "p:w")),
        ("tarantool:///run/a%20b.sock", Address("/run/a b.sock", "", 3301)),
        ("tarantool://me:pw@/run/a.sock", Address("/run/a.sock", "", 3301, "me", "pw")),
    ],
)
def test_tarantool(url: str, found: Address) -> None:
    assert find("tarantool").address(url) == found


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("valkey://me:p%3Aw@db/3", Address(None, "db", 6379, "me", "p:w", "3")),
        ("redis:///run/a.sock", Address("/run/a.sock", "", 6379)),
    ],
)
def test_valkey(url: str, found: Address) -> None:
    assert find("valkey").address(url) == found


def test_sqlite() -> None:
    assert find("sqlite").address("sqlite:///var/a%20b.db").path == "/var/a b.db"


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("mysql://db", Address(None, "db", 3306)),
        ("mariadb://me:p%40%2Fw@db:3307/x", Address(None, "db", 3307, "me", "p@/w", "x")),
        ("mysql:///x", Address(None, "localhost", 3306, None, None, "x")),
        (
            "mysql://root@/x?unix_socket=%2Frun%2Fa%20b.sock",
            Address("/run/a b.sock", "", 3306, "root", None, "x"),
        ),
        ("mysql://me@/?unix_socket=/run/a.sock", Address("/run/a.sock", "", 3306, "me")),
    ],
)
def test_mysql(url: str, found: Address) -> None:
    assert find("mysql").address(url) == found


@pytest.mark.parametrize("name", DATABASES)
@pytest.mark.parametrize(
    "wrong",
    ["", "nonsense", "http://u:secret@h", "{}://u:secret@h:99999", "{}://u:secret@h:x", "{}://[h"],
)
def test_a_wrong_url_is_said_in_one_line(name: str, wrong: str) -> None:
    database = find(name)
    with pytest.raises(AddressError) as caught:
        database.address(wrong.format(database.form.schemes[0]))
    assert str(caught.value).startswith(f"{database.url_variable} must look like ")
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_url_without_a_place_is_none() -> None:
    with pytest.raises(AddressError):
        find("tarantool").address("tarantool://")


@pytest.mark.parametrize("place", [HERE, THERE, Address(None, "::1", 9)])
def test_an_address_is_shown_without_its_user(place: Address) -> None:
    shown = str(place._replace(user="me", password="secret"))
    assert shown in ("/t/here.sock", "127.0.0.1:9", "[::1]:9")


@pytest.mark.parametrize(
    ("url", "here", "through"),
    [
        (
            "postgresql://me@/db?host=/run/a%20b",
            Address("/t/.s.PGSQL.5432", "", 5432),
            "postgresql://me@/db?host=%2Ft&port=5432",
        ),
        (
            "postgresql://me:pw@db:5433/x?sslmode=disable",
            THERE,
            "postgresql://me:pw@127.0.0.1:9/x?sslmode=disable",
        ),
        (
            "postgresql://me@/x?host=db&port=5434",
            THERE,
            "postgresql://me@/x?host=127.0.0.1&port=9",
        ),
        (
            "postgresql://me@%2Frun%2Fa/x",
            Address("/t/.s.PGSQL.5432", "", 5432),
            "postgresql://me@/x?host=%2Ft&port=5432",
        ),
        (
            "postgresql://me@db/x?host=db&hostaddr=192.0.2.1",
            THERE,
            "postgresql://me@/x?host=127.0.0.1&port=9",
        ),
        ("tarantool://me:pw@db:3301", THERE, "tarantool://me:pw@127.0.0.1:9"),
        ("tarantool:///run/a.sock", HERE, "tarantool:///t/here.sock"),
        ("mysql://me:pw@db:3306/x", THERE, "mysql://me:pw@127.0.0.1:9/x"),
        (
            "mysql://me@/x?unix_socket=/run/a.sock",
            HERE,
            "mysql://me@/x?unix_socket=%2Ft%2Fhere.sock",
        ),
    ],
)
def test_a_url_leads_elsewhere_with_all_else_as_it_was(
    url: str, here: Address, through: str
) -> None:
    assert moved(url, here) == through
