"""Creates the schema on MariaDB, loads the stickers, and deletes old rows."""

from __future__ import annotations

# ruff: noqa: S608  only constants are put together here
import hashlib
import json
import re
from pathlib import Path

from data_interface.sql.data import Connection
from data_interface.sql.store import first
from data_interface.stickers import catalogue
from data_interface.store import (
    SESSION_SECONDS,
    SESSIONS_KEPT,
    TOKENS_KEPT,
    VOTES_KEPT,
    Refused,
)
from data_interface.timeouts import TIMEOUTS

# The database that is used if the URL names none.
DATABASE = "sticker_site"
SCHEMA_FILE = Path(__file__).with_name("schema.sql")
LAYOUT = "sticker_site_layout"
# One call deletes at most this many rows, so that it holds its locks only briefly.
BATCH = 500
# The first version with RANDOM_BYTES.
LEAST_VERSION = (10, 10)

# Without this, an object that exists already causes a warning, which a driver would fetch.
QUIET = "SET sql_notes = 0"
FIND_DATABASE = "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = $1"
CREATE_DATABASE = f"""
    CREATE DATABASE IF NOT EXISTS {DATABASE} CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin"""
# A server's databases share the names of locks, so each name ends with a hash of the database.
LOCK = "SELECT GET_LOCK(CONCAT($1, MD5(DATABASE())), $2)"
SETUP_LOCK, CLEANING_LOCK = "sticker-site setup ", "sticker-site cleaning "
# Tables of the toolbench do not count: it uses the same database.
FIND_TABLES = """
    SELECT COUNT(*), COUNT(IF(table_name = $1, 1, NULL)) FROM information_schema.tables
    WHERE table_schema = DATABASE() AND LEFT(table_name, 10) <> 'toolbench_'"""
FIND_VERSION = f"SELECT version FROM {LAYOUT}"
KEEP_VERSION = f"REPLACE INTO {LAYOUT} (only_row, version) VALUES (1, $1)"
IS_EMPTY = "SELECT NOT EXISTS (SELECT * FROM packs) AND NOT EXISTS (SELECT * FROM stickers)"
LOAD_PACKS = """
    INSERT INTO packs (id, title) SELECT given.id, given.title FROM JSON_TABLE($1, '$[*]'
        COLUMNS (id BIGINT PATH '$[0]', title VARCHAR(255) PATH '$[1]')) AS given"""
LOAD_STICKERS = """
    INSERT INTO stickers (id, pack, title, up, down)
    SELECT given.id, given.pack, given.title, given.up, given.down FROM JSON_TABLE($1, '$[*]'
        COLUMNS (id BIGINT PATH '$[0]', pack BIGINT PATH '$[1]', title VARCHAR(255) PATH '$[2]',
            up INT PATH '$[4]', down INT PATH '$[5]')) AS given"""

CLEAN_TOKENS = "CALL clean_tokens($1, $2)"
CLEAN_SESSIONS = "CALL clean_sessions($1, $2, $3)"
CLEAN_VOTES = "CALL clean_votes($1, $2)"


async def create_schema(connection: Connection) -> None:
    """Create the schema and load the stickers if they are missing. Two servers may do so at once.

    ``schema.sql`` is not run again until its text changes. Once a user with more rights has run
    it, a user with only the rights that the pages need can start a server.
    """
    await connection.script(QUIET)
    _check_version(await first(connection, "SELECT VERSION()"))
    if await first(connection, "SELECT DATABASE()") is None:
        if not await first(connection, FIND_DATABASE, DATABASE):
            await connection.script(CREATE_DATABASE)
        await connection.script(f"USE {DATABASE}")
    # The lock ends with the connection.
    await connection.fetch(LOCK, SETUP_LOCK, int(TIMEOUTS.schema))
    script = SCHEMA_FILE.read_text(encoding="utf-8")
    version = hashlib.sha256(script.encode("utf-8")).hexdigest()
    if await _version(connection) != version:
        await connection.script(script)
        await connection.fetch(KEEP_VERSION, version)
    if await first(connection, IS_EMPTY):
        await _load(connection)


def _check_version(text: str) -> None:
    """Raise ``Refused`` unless a text such as "10.11.6-MariaDB-0+deb12u1" is new enough."""
    numbers = tuple(int(part) for part in re.findall(r"\d+", text)[:2])
    if "MariaDB" not in text or numbers < LEAST_VERSION:
        least = ".".join(map(str, LEAST_VERSION))
        raise Refused(f"MYSQL_URL must lead to MariaDB {least} or newer, not to {text}.")


async def _version(connection: Connection) -> str:
    """Return the schema's version, "" if there is none; ``Refused`` if the tables are not ours."""
    tables, ours = (await connection.fetch(FIND_TABLES, LAYOUT))[0]
    if tables and not ours:
        raise Refused(
            "MYSQL_URL names a database with tables that are not the site's: name an empty one, "
            f"or none for {DATABASE}."
        )
    rows = await connection.fetch(FIND_VERSION) if ours else []
    return str(rows[0][0]) if rows else ""


async def _load(connection: Connection) -> None:
    packs, stickers = catalogue()
    # If this fails, the connection is closed, which rolls the transaction back.
    await connection.script("START TRANSACTION")
    await connection.fetch(LOAD_PACKS, json.dumps(packs))
    await connection.fetch(LOAD_STICKERS, json.dumps(stickers))
    await connection.script("COMMIT")
    await connection.script("ANALYZE TABLE packs, stickers")


async def choose(connection: Connection) -> bool:
    """Return whether this process is to clean: the one whose connection holds the lock."""
    return bool(await first(connection, LOCK, CLEANING_LOCK, 0))


async def clean(connection: Connection) -> None:
    """Delete rows that are too old or too many, the oldest first, in batches with short locks.

    The tables take turns, so that one which grows as fast as it is cleaned does not hold up the
    others.
    """
    left = True
    while left:
        left = False
        for sql, bounds in (
            (CLEAN_TOKENS, (TOKENS_KEPT,)),
            (CLEAN_SESSIONS, (SESSION_SECONDS, SESSIONS_KEPT)),
            (CLEAN_VOTES, (VOTES_KEPT,)),
        ):
            done = await first(connection, sql, *bounds, BATCH, seconds=TIMEOUTS.cleaning)
            left = left or done >= BATCH
