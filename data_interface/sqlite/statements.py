"""The requests of the article's layout in SQLite's SQL, one statement each."""

# ruff: noqa: F403, F405, S608  only constants are put together here
from data_interface.sql.statements import *
from data_interface.store import TOKEN_SECONDS

NOW = "CAST(strftime('%s', 'now') AS INTEGER)"
# Each sticker is equally likely while ids have no gaps. Each end is read from the index only if it
# has a query of its own.
RANDOM_STICKER = f"""
    SELECT {STICKER} FROM stickers WHERE id >= (
        SELECT low + abs(random() % (high - low + 1)) FROM (
            SELECT (SELECT min(id) FROM stickers) AS low, (SELECT max(id) FROM stickers) AS high
        )
    ) ORDER BY id LIMIT 1"""
# The driver adds this function: SQLite's own source of random bytes is not a cryptographic one.
NEW_ID = "SELECT new_id()"
KEEP_TOKEN = f"""
    INSERT INTO tokens (token, sticker, mate, expires)
    VALUES ($1, $2, $3, {NOW} + {TOKEN_SECONDS})"""
TOUCH_SESSION = f"""
    INSERT INTO sessions (session, address, agent, seen) VALUES ($1, $2, $3, {NOW})
    ON CONFLICT (session) DO UPDATE SET visits = visits + 1,
        address = excluded.address, agent = excluded.agent, seen = excluded.seen"""
COUNT_VIEW = "UPDATE counters SET value = value + 1 WHERE name = 'views'"
# Both tokens must be there, of one ballot and not expired, and so must both stickers.
CAST_VOTE = f"""
    UPDATE tokens SET voter = $3, cast_at = $4
    WHERE token = $1 AND mate = $2 AND expires > {NOW}
        AND sticker IN (SELECT id FROM stickers)
        AND EXISTS (
            SELECT 1 FROM tokens AS other JOIN stickers ON stickers.id = other.sticker
            WHERE other.token = $2 AND other.mate = $1 AND other.expires > {NOW}
                AND other.sticker <> tokens.sticker
        )
    RETURNING 1"""
STATISTICS = """
    SELECT (SELECT count(*) FROM packs), (SELECT count(*) FROM stickers),
        (SELECT count(*) FROM sessions) + sum(value) FILTER (WHERE name = 'visitors_gone'),
        sum(value) FILTER (WHERE name = 'views'),
        sum(value) FILTER (WHERE name = 'votes')
    FROM counters"""
RENAME_PACK = "UPDATE packs SET title = $2 WHERE id = $1 RETURNING id, title"
RENAME_STICKER = f"""
    UPDATE stickers SET title = $3 WHERE pack = $1 AND id = $2 RETURNING {STICKER}"""
