"""Errors of databases are translated into those that pages know."""

from __future__ import annotations

import pytest

from data_interface.mysql import refusals as mysql
from data_interface.postgres import refusals as postgres
from data_interface.store import Busy, Conflict, NotFound, Refused, StoreError, Unavailable
from data_interface.tarantool import layout as tarantool


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        ("53300", Busy),
        ("28P01", Refused),
        ("3D000", Refused),
        ("42501", Refused),
        ("08006", Unavailable),
        ("57P01", Unavailable),
        ("57P03", Unavailable),
        ("22021", StoreError),
        ("", StoreError),
    ],
)
def test_postgresql(state: str, kind: type) -> None:
    found = postgres.translated(state, "a text\nHINT: a hint")
    assert type(found) is kind
    assert "\n" not in str(found)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('server at "h" failed: FATAL:  password authentication failed for user "a"', Refused),
        ('server at "h" failed: FATAL:  database "x" does not exist', Refused),
        ("server failed: FATAL:  sorry, too many clients already", Busy),
        ("server failed: FATAL:  the database system is starting up", Unavailable),
        ("server failed: FATAL:  terminating connection due to command", Unavailable),
        ("server failed: Connection refused", Unavailable),
    ],
)
def test_a_failed_connect_of_libpq(text: str, kind: type) -> None:
    assert type(postgres.translated_text(text)) is kind


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (1040, Busy),
        (1226, Busy),
        (1205, Busy),
        (1213, Busy),
        (1045, Refused),
        (1049, Refused),
        (1053, Unavailable),
        (2003, Unavailable),
        (2013, Unavailable),
        (0, Unavailable),
        (1064, StoreError),
    ],
)
def test_mariadb(number: int, kind: type) -> None:
    assert type(mysql.translated(Exception(number, "a text\nmore"))) is kind
    assert "more" not in str(mysql.translated(Exception(number, "a text\nmore")))


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (tarantool.NOT_FOUND, NotFound),
        (tarantool.CONFLICT, Conflict),
        (2, Busy),
        (7, Unavailable),
        (116, Unavailable),
        (45, Refused),
        (47, Refused),
        (33, StoreError),
        (3, StoreError),
    ],
)
def test_tarantool(code: int, kind: type) -> None:
    assert type(tarantool.refused(code, "a text")) is kind


def test_conflicts_are_known_by_their_codes() -> None:
    assert "title" in postgres.CONFLICTS["23505"]
    assert "title" in mysql.CONFLICTS[1062]
    assert "stickers" in postgres.CONFLICTS["23503"]
    assert "stickers" in mysql.CONFLICTS[1451]
