"""The requests of the article's layout in PostgreSQL's SQL: one statement each, parameters only.

``search_path`` is the site's schema, see ``schema.sql``.
"""

# ruff: noqa: F403, F405, S608  only constants are put together here
from data_interface.sql.statements import *
from data_interface.store import TOKEN_SECONDS

# The draw is uniform while ids have no gaps. Both ends come from the index: three look-ups in all.
RANDOM_STICKER = f"""
    SELECT {STICKER} FROM stickers WHERE id >= (
        SELECT min(id) + floor(random() * (max(id) - min(id) + 1))::bigint FROM stickers
    ) ORDER BY id LIMIT 1"""
# A UUID has 122 random bits and six fixed ones. Two UUIDs, hashed and cut, give 128 random bits.
NEW_ID = """
    SELECT encode(substring(sha256(
        uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())
    ) FOR 16), 'hex')"""
KEEP_TOKEN = f"""
    INSERT INTO tokens (token, sticker, mate, expires)
    VALUES ($1, $2, $3, now() + interval '{TOKEN_SECONDS} s')"""
TOUCH_SESSION = """
    INSERT INTO sessions (session, address, agent) VALUES ($1, $2, $3)
    ON CONFLICT (session) DO UPDATE SET visits = sessions.visits + 1,
        address = excluded.address, agent = excluded.agent, seen = excluded.seen"""
COUNT_VIEW = """
    UPDATE counters SET value = value + 1 WHERE name = 'views' AND slot = pg_backend_pid() % 64"""
CAST_VOTE = "SELECT cast_vote($1, $2, $3, $4)"
STATISTICS = """
    SELECT (SELECT count(*) FROM packs), (SELECT count(*) FROM stickers),
        (SELECT count(*) FROM sessions)
            + sum(value) FILTER (WHERE name = 'visitors_gone')::bigint,
        sum(value) FILTER (WHERE name = 'views')::bigint,
        sum(value) FILTER (WHERE name = 'votes')::bigint
    FROM counters"""
RENAME_PACK = "UPDATE packs SET title = $2 WHERE id = $1 RETURNING id, title"
# Both changes are one statement; the counter's row is locked after the sticker's, as for a vote.
RENAME_STICKER = f"""
    WITH renamed AS (
        UPDATE stickers SET title = $3 WHERE pack = $1 AND id = $2 RETURNING {STICKER}
    ), counted AS (
        UPDATE counters SET value = value + 1
        WHERE name = 'edits' AND slot = pg_backend_pid() % 64 AND EXISTS (SELECT FROM renamed)
    ) SELECT {STICKER} FROM renamed"""
