"""The requests of the article's layout in MariaDB's SQL, one statement each."""

# ruff: noqa: F403, F405, S608  only constants are put together here
from data_interface.sql.statements import *
from data_interface.store import TOKEN_SECONDS

# Each sticker is equally likely while ids have no gaps. $1 is any large number; RAND() would give
# another one for each row. MIN and MAX are read from the index.
RANDOM_STICKER = f"""
    SELECT {STICKER} FROM stickers WHERE id >= (
        SELECT MIN(id) + MOD($1, MAX(id) - MIN(id) + 1) FROM stickers
    ) ORDER BY id LIMIT 1"""
NEW_ID = "SELECT LOWER(HEX(RANDOM_BYTES(16)))"
KEEP_TOKEN = f"""
    INSERT INTO tokens (token, sticker, mate, expires)
    VALUES ($1, $2, $3, UTC_TIMESTAMP(6) + INTERVAL {TOKEN_SECONDS} SECOND)"""
TOUCH_SESSION = """
    INSERT INTO sessions (session, address, agent, seen) VALUES ($1, $2, $3, UTC_TIMESTAMP(6))
    ON DUPLICATE KEY UPDATE visits = visits + 1,
        address = VALUE(address), agent = VALUE(agent), seen = VALUE(seen)"""
COUNT_VIEW = """
    UPDATE counters SET value = value + 1
    WHERE name = 'views' AND slot = MOD(CONNECTION_ID(), 64)"""
CAST_VOTE = "CALL cast_vote($1, $2, $3, $4)"
# MariaDB sums integers as decimals.
STATISTICS = """
    SELECT (SELECT COUNT(*) FROM packs), (SELECT COUNT(*) FROM stickers),
        (SELECT COUNT(*) FROM sessions)
            + CAST(SUM(IF(name = 'visitors_gone', value, 0)) AS SIGNED),
        CAST(SUM(IF(name = 'views', value, 0)) AS SIGNED),
        CAST(SUM(IF(name = 'votes', value, 0)) AS SIGNED)
    FROM counters"""
# An update returns no rows on MariaDB.
RENAME_PACK = "UPDATE packs SET title = $2 WHERE id = $1"
# Both changes are one statement.
RENAME_STICKER = """
    UPDATE stickers JOIN counters ON counters.name = 'edits'
        AND counters.slot = MOD(CONNECTION_ID(), 64)
    SET stickers.title = $3, counters.value = counters.value + 1
    WHERE stickers.pack = $1 AND stickers.id = $2"""
