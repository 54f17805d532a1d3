-- The sticker site's tables. It is safe to run again: no existing row is changed. Every change is one
-- statement, so it is a transaction that begins with the lock for writing; triggers make the rest of it.
CREATE TABLE IF NOT EXISTS packs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    title TEXT NOT NULL UNIQUE
);

CREATE TABLE IF NOT EXISTS stickers (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    pack INTEGER NOT NULL REFERENCES packs,
    title TEXT NOT NULL,
    up INTEGER NOT NULL DEFAULT 0,
    down INTEGER NOT NULL DEFAULT 0,
    rating INTEGER NOT NULL GENERATED ALWAYS AS (up - down) STORED
);
CREATE INDEX IF NOT EXISTS stickers_by_rating ON stickers (rating, id);
CREATE INDEX IF NOT EXISTS stickers_by_pack ON stickers (pack, id);

-- The number is the order of age: if there are too many, the oldest go. The last two columns are set
-- by a vote, which deletes the row.
CREATE TABLE IF NOT EXISTS tokens (
    number INTEGER PRIMARY KEY,
    token TEXT NOT NULL UNIQUE,
    sticker INTEGER NOT NULL,
    mate TEXT NOT NULL,
    expires INTEGER NOT NULL,
    voter INTEGER,
    cast_at INTEGER
);
CREATE INDEX IF NOT EXISTS tokens_by_expiry ON tokens (expires);

CREATE TABLE IF NOT EXISTS sessions (
    session TEXT PRIMARY KEY,
    visits INTEGER NOT NULL DEFAULT 1,
    address TEXT NOT NULL,
    agent TEXT NOT NULL,
    seen INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS sessions_by_seen ON sessions (seen);

-- The history of votes. Times are seconds since 1970 by the site's clock, so that days and hours are
-- divisions, the same in every database. Voters are numbers, 0 if unknown. The number is the order of
-- arrival: if there are too many, the first go.
CREATE TABLE IF NOT EXISTS votes (
    number INTEGER PRIMARY KEY,
    cast_at INTEGER NOT NULL,
    winner INTEGER NOT NULL,
    loser INTEGER NOT NULL,
    voter INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS votes_by_time ON votes (cast_at, number);

CREATE TABLE IF NOT EXISTS counters (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL DEFAULT 0
);
INSERT OR IGNORE INTO counters (name)
VALUES ('views'), ('votes'), ('edits'), ('visitors_gone');

-- A vote marks the token of its winner, if the ballot is valid; this counts it and ends the ballot.
DROP TRIGGER IF EXISTS count_vote;
CREATE TRIGGER count_vote AFTER UPDATE OF cast_at ON tokens BEGIN
    INSERT INTO votes (cast_at, winner, loser, voter)
    SELECT new.cast_at, new.sticker, sticker, new.voter FROM tokens WHERE token = new.mate;
    UPDATE stickers SET up = up + 1 WHERE id = new.sticker;
    UPDATE stickers SET down = down + 1
    WHERE id = (SELECT sticker FROM tokens WHERE token = new.mate);
    UPDATE counters SET value = value + 1 WHERE name = 'votes';
    DELETE FROM tokens WHERE token IN (new.token, new.mate);
END;

DROP TRIGGER IF EXISTS count_edit;
CREATE TRIGGER count_edit AFTER UPDATE OF title ON stickers BEGIN
    UPDATE counters SET value = value + 1 WHERE name = 'edits';
END;

-- A deleted visitor still counts.
DROP TRIGGER IF EXISTS count_gone;
CREATE TRIGGER count_gone AFTER DELETE ON sessions BEGIN
    UPDATE counters SET value = value + 1 WHERE name = 'visitors_gone';
END;
