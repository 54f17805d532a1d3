"""The schema, the stickers and the cleaning on PostgreSQL."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

from data_interface.sql.data import Connection
from data_interface.sql.store import first
from data_interface.stickers import catalogue
from data_interface.store import (
    SESSION_SECONDS,
    SESSIONS_KEPT,
    TOKENS_KEPT,
    VOTES_KEPT,
)

SCHEMA = "sticker_site"
SCHEMA_FILE = Path(__file__).with_name("schema.sql")
BATCH = 2000
TRY_LOCK = "SELECT pg_try_advisory_lock($1)"

# The keys of advisory locks must differ from those of other programs: "stickers" in ASCII.
SETUP_LOCK = 0x737469636B657273
CLEANING_LOCK = SETUP_LOCK + 1

# A vote locks the two tokens of a ballot in another order than that of their age. Cleaning skips
# locked rows, so the two never wait for each other in a circle. Rows that are locked here do not
# move, so their addresses (ctid) find them; a join would read the whole table.
OLD_TOKENS = """
    WITH gone AS (DELETE FROM tokens WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM tokens WHERE expires <= now()
        ORDER BY expires LIMIT $1 FOR UPDATE SKIP LOCKED
    )) RETURNING 1) SELECT count(*) FROM gone"""
SURPLUS_TOKENS = """
    WITH gone AS (DELETE FROM tokens WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM tokens WHERE number <= (SELECT max(number) FROM tokens) - $2::bigint
        ORDER BY number LIMIT $1 FOR UPDATE SKIP LOCKED
    )) RETURNING 1) SELECT count(*) FROM gone"""
# Votes never change, so none is locked.
SURPLUS_VOTES = """
    WITH gone AS (DELETE FROM votes WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM votes WHERE number <= (SELECT max(number) FROM votes) - $2::bigint
        ORDER BY number LIMIT $1
    )) RETURNING 1) SELECT count(*) FROM gone"""
# A deleted visitor still counts: one statement makes both changes.
FORGET = """
    WITH gone AS (DELETE FROM sessions WHERE ctid = ANY (ARRAY({})) RETURNING 1)
    UPDATE counters SET value = value + (SELECT count(*) FROM gone)
    WHERE name = 'visitors_gone' AND slot = 0 RETURNING (SELECT count(*) FROM gone)"""
AHEAD_SESSIONS = """
    WITH renewed AS (UPDATE sessions SET seen = now() WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM sessions WHERE seen > now() + interval '1 min'
        ORDER BY seen LIMIT $1 FOR UPDATE SKIP LOCKED
    )) RETURNING 1) SELECT count(*) FROM renewed"""
OLD_SESSIONS = """
    SELECT ctid FROM sessions WHERE seen <= now() - make_interval(secs => $2)
    ORDER BY seen LIMIT $1 FOR UPDATE SKIP LOCKED"""
SURPLUS_SESSIONS = """
    SELECT ctid FROM sessions ORDER BY seen
    LIMIT least($1::bigint, greatest(0, (SELECT count(*) FROM sessions) - $2::bigint))
    FOR UPDATE SKIP LOCKED"""


FIND_VERSION = "SELECT obj_description(to_regnamespace($1)::oid, 'pg_namespace')"
IS_EMPTY = "SELECT NOT EXISTS (SELECT FROM packs) AND NOT EXISTS (SELECT FROM stickers)"
LOAD_PACKS = "INSERT INTO packs (id, title) SELECT * FROM unnest($1::bigint[], $2::text[])"
LOADED_COLUMNS = ("id", "pack", "title", "up", "down")
LOAD_STICKERS = """
    INSERT INTO stickers (id, pack, title, up, down) SELECT * FROM unnest(
        $1::bigint[], $2::bigint[], $3::text[], $4::integer[], $5::integer[])"""
AFTER_LOADING = """
    SELECT setval('pack_ids', (SELECT max(id) FROM packs));
    SELECT setval('sticker_ids', (SELECT max(id) FROM stickers));
    ANALYZE packs, stickers"""


class Layout(NamedTuple):
    """A schema with the script that makes it, and the statements in which layouts differ."""

    schema: str
    script: str
    cleaning_lock: int
    load_packs: str
    load_stickers: str
    after_loading: str
    forget: str
    ahead_sessions: str


COLUMNS = Layout(
    SCHEMA,
    SCHEMA_FILE.read_text(encoding="utf-8"),
    CLEANING_LOCK,
    LOAD_PACKS,
    LOAD_STICKERS,
    AFTER_LOADING,
    FORGET,
    AHEAD_SESSIONS,
)


async def create_schema(layout: Layout, connection: Connection) -> None:
    """Make the schema and load the stickers if they are missing. Two servers may start at once.

    The file is run once for each of its versions: creating an index that exists still waits for the
    writers of its table, which would disturb a running server.
    """
    version = hashlib.sha256(layout.script.encode("utf-8")).hexdigest()
    # If this fails, the connection is closed, which ends the transaction.
    await connection.script("BEGIN")
    await connection.fetch("SELECT pg_advisory_xact_lock($1)", SETUP_LOCK)
    if await first(connection, FIND_VERSION, layout.schema) != version:
        await connection.script(layout.script)
        await connection.script(f"COMMENT ON SCHEMA {layout.schema} IS '{version}'")
    if await first(connection, IS_EMPTY):
        await _load(layout, connection)
    await connection.script("COMMIT")


async def _load(layout: Layout, connection: Connection) -> None:
    packs, stickers = catalogue()
    await connection.fetch(
        layout.load_packs, [row.id for row in packs], [row.title for row in packs]
    )
    columns = [[getattr(row, name) for row in stickers] for name in LOADED_COLUMNS]
    await connection.fetch(layout.load_stickers, *columns)
    await connection.script(layout.after_loading)


async def choose(layout: Layout, connection: Connection) -> bool:
    """Return whether this connection's process cleans; the lock ends with the connection."""
    return bool(await first(connection, TRY_LOCK, layout.cleaning_lock))


async def clean(layout: Layout, connection: Connection) -> None:
    """Delete rows that are too old or too many, the oldest first, in batches with short locks.

    The tables take turns: one that grows as fast as it is cleaned does not keep the others waiting.
    """
    left = True
    while left:
        left = False
        for sql, bounds in (
            (OLD_TOKENS, ()),
            (SURPLUS_TOKENS, (TOKENS_KEPT,)),
            (layout.ahead_sessions, ()),
            (layout.forget.format(OLD_SESSIONS), (SESSION_SECONDS,)),
            (layout.forget.format(SURPLUS_SESSIONS), (SESSIONS_KEPT,)),
            (SURPLUS_VOTES, (VOTES_KEPT,)),
        ):
            left = await first(connection, sql, BATCH, *bounds) == BATCH or left
