"""Creates the schema on SQLite, loads the stickers, and deletes old rows."""

from __future__ import annotations

# ruff: noqa: S608  only constants are put together here
import json
import zlib
from pathlib import Path

from data_interface.deadline import Deadline
from data_interface.sql.data import Connection
from data_interface.sql.store import first
from data_interface.sqlite.statements import NOW
from data_interface.stickers import catalogue
from data_interface.store import (
    SESSION_SECONDS,
    SESSIONS_KEPT,
    TOKENS_KEPT,
    VOTES_KEPT,
    Refused,
)
from data_interface.timeouts import TIMEOUTS

SCHEMA_FILE = Path(__file__).with_name("schema.sql")
# Marks the file as the site's: "Stik" in ASCII.
APPLICATION = 0x5374696B
# With RETURNING.
LEAST_VERSION = (3, 35)
# One statement deletes at most this many rows, so that it holds the lock only briefly.
BATCH = 500

FIND_TABLES = "SELECT count(*) FROM sqlite_master WHERE type = 'table'"
LOAD_PACKS = """
    INSERT INTO packs (id, title)
    SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each($1)"""
LOAD_STICKERS = """
    INSERT INTO stickers (id, pack, title, up, down)
    SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'),
        json_extract(value, '$[4]'), json_extract(value, '$[5]') FROM json_each($1)"""
IS_EMPTY = "SELECT NOT EXISTS (SELECT 1 FROM packs) AND NOT EXISTS (SELECT 1 FROM stickers)"

OLD_TOKENS = f"""
    DELETE FROM tokens WHERE number IN (
        SELECT number FROM tokens WHERE expires <= {NOW} ORDER BY expires LIMIT $1
    ) RETURNING 1"""
SURPLUS_TOKENS = """
    DELETE FROM tokens WHERE number IN (
        SELECT number FROM tokens WHERE number <= (SELECT max(number) FROM tokens) - $2
        ORDER BY number LIMIT $1
    ) RETURNING 1"""
AHEAD_SESSIONS = f"""
    UPDATE sessions SET seen = {NOW} WHERE session IN (
        SELECT session FROM sessions WHERE seen > {NOW} + 60 ORDER BY seen LIMIT $1
    ) RETURNING 1"""
OLD_SESSIONS = f"""
    DELETE FROM sessions WHERE session IN (
        SELECT session FROM sessions WHERE seen <= {NOW} - $2 ORDER BY seen LIMIT $1
    ) RETURNING 1"""
SURPLUS_SESSIONS = """
    DELETE FROM sessions WHERE session IN (
        SELECT session FROM sessions ORDER BY seen
        LIMIT min($1, max(0, (SELECT count(*) FROM sessions) - $2))
    ) RETURNING 1"""
SURPLUS_VOTES = """
    DELETE FROM votes WHERE number IN (
        SELECT number FROM votes WHERE number <= (SELECT max(number) FROM votes) - $2
        ORDER BY number LIMIT $1
    ) RETURNING 1"""


async def create_schema(connection: Connection) -> None:
    """Create the schema and load the stickers if they are missing. Two may do so at once."""
    _check_version(await first(connection, "SELECT sqlite_version()"))
    # The file keeps this mode, in which readers and the writer do not wait for each other.
    if await first(connection, "PRAGMA journal_mode") != "wal":
        await connection.fetch("PRAGMA journal_mode = WAL")
    script = SCHEMA_FILE.read_text(encoding="utf-8")
    version = zlib.crc32(script.encode("utf-8")) >> 1
    if await _version(connection) != version:
        marks = f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {version};"
        await connection.script(f"BEGIN IMMEDIATE; {script} {marks} COMMIT;")
    # If this fails, the connection is closed, which ends the transaction.
    await connection.fetch("BEGIN IMMEDIATE")
    if await first(connection, IS_EMPTY):
        for statement, rows in zip((LOAD_PACKS, LOAD_STICKERS), catalogue()):
            await connection.fetch(statement, json.dumps(rows))
    await connection.fetch("COMMIT")


def _check_version(text: str) -> None:
    """Raise ``Refused`` unless a text such as "3.40.1" is new enough."""
    if tuple(int(part) for part in text.split(".")[:2]) < LEAST_VERSION:
        least = ".".join(map(str, LEAST_VERSION))
        raise Refused(f"The site needs SQLite {least} or newer, and this Python has {text}.")


async def _version(connection: Connection) -> int:
    """Return the version of the schema, 0 without one; ``Refused`` if the file is not ours."""
    ours = await first(connection, "PRAGMA application_id") == APPLICATION
    if not ours and await first(connection, FIND_TABLES):
        raise Refused("SQLITE_URL names a database with other tables: name a new file.")
    return int(await first(connection, "PRAGMA user_version")) if ours else 0


async def choose(connection: Connection) -> bool:
    """Return that this process cleans: all do, as SQLite has no lock that lasts so long."""
    return True


async def clean(connection: Connection) -> None:
    """Delete rows that are too old or too many, the oldest first, in batches with short locks."""
    left = True
    while left:
        left = False
        for sql, bounds in (
            (OLD_TOKENS, ()),
            (SURPLUS_TOKENS, (TOKENS_KEPT,)),
            (AHEAD_SESSIONS, ()),
            (OLD_SESSIONS, (SESSION_SECONDS,)),
            (SURPLUS_SESSIONS, (SESSIONS_KEPT,)),
            (SURPLUS_VOTES, (VOTES_KEPT,)),
        ):
            with Deadline(TIMEOUTS.cleaning):
                left = len(await connection.fetch(sql, BATCH, *bounds)) == BATCH or left
