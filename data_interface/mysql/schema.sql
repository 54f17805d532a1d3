-- The sticker site's tables and procedures, in a database of their own. It is safe to run again: no
-- existing row is changed.
-- The first table marks the database as the site's, and has the version of this file that was run.
CREATE TABLE IF NOT EXISTS sticker_site_layout (
    only_row INT PRIMARY KEY,
    version CHAR(64) NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- Texts are compared as bytes, with the spaces at their ends, as in the other databases: titles that
-- are equal in a language are different here.
CREATE TABLE IF NOT EXISTS packs (
    id BIGINT PRIMARY KEY AUTO_INCREMENT,
    title VARCHAR(255) NOT NULL UNIQUE
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS stickers (
    id BIGINT PRIMARY KEY AUTO_INCREMENT,
    pack BIGINT NOT NULL,
    title VARCHAR(255) NOT NULL,
    up INT NOT NULL DEFAULT 0,
    down INT NOT NULL DEFAULT 0,
    rating INT GENERATED ALWAYS AS (up - down) STORED,
    KEY stickers_by_rating (rating, id),
    KEY stickers_by_pack (pack, id),
    CONSTRAINT stickers_have_a_pack FOREIGN KEY (pack) REFERENCES packs (id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- There is no foreign key to stickers, which would lock a sticker's row at every view; the vote checks
-- them instead. The number is the order of age: if there are too many, the oldest go.
CREATE TABLE IF NOT EXISTS tokens (
    token VARCHAR(32) PRIMARY KEY,
    sticker BIGINT NOT NULL,
    mate VARCHAR(32) NOT NULL,
    expires DATETIME(6) NOT NULL,
    number BIGINT NOT NULL AUTO_INCREMENT,
    KEY tokens_by_expiry (expires),
    KEY tokens_by_number (number)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS sessions (
    session VARCHAR(255) PRIMARY KEY,
    visits BIGINT NOT NULL DEFAULT 1,
    address VARCHAR(255) NOT NULL,
    agent VARCHAR(255) NOT NULL,
    seen DATETIME(6) NOT NULL,
    KEY sessions_by_seen (seen)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- The history of votes. Times are seconds since 1970 by the site's clock, so that days and hours are
-- divisions, the same in every database. Voters are numbers, 0 if unknown. The number is the order of
-- arrival: if there are too many, the first go. There are no foreign keys, as for tokens.
CREATE TABLE IF NOT EXISTS votes (
    number BIGINT PRIMARY KEY AUTO_INCREMENT,
    cast_at BIGINT NOT NULL,
    winner BIGINT NOT NULL,
    loser BIGINT NOT NULL,
    voter BIGINT NOT NULL,
    KEY votes_by_time (cast_at, number)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- A counter is several rows, one for each of 64 groups of connections, so that pages that count at the
-- same time do not wait for one row.
CREATE TABLE IF NOT EXISTS counters (
    name VARCHAR(32) NOT NULL,
    slot INT NOT NULL,
    value BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (name, slot)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
INSERT INTO counters (name, slot)
SELECT names.name, slots.seq
FROM (
    SELECT 'views' AS name UNION SELECT 'votes' UNION SELECT 'edits' UNION SELECT 'visitors_gone'
) AS names
CROSS JOIN seq_0_to_63 AS slots WHERE TRUE
ON DUPLICATE KEY UPDATE value = value;

-- Every vote takes its locks in the same order, tokens by name, then stickers by id, then a counter,
-- and locks each row alone, by its whole key. So votes on the same stickers wait for each other and
-- never deadlock. Each statement sees all that was committed before it (READ COMMITTED), so rows that
-- are read under the locks have not changed when they are updated. Still, a vote counts only if it
-- deleted both tokens: in the seconds after a crash, MariaDB 10.11 let two votes read the same tokens.
-- Rows are counted instead of selected, because a SELECT INTO without a row leaves a warning, which a
-- driver would fetch.
CREATE OR REPLACE PROCEDURE cast_vote(
    plus TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
    minus TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
    who BIGINT,
    moment BIGINT
)
MODIFIES SQL DATA
BEGIN
    DECLARE held, changed INT DEFAULT 0;
    DECLARE winning, losing BIGINT;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        ROLLBACK;
        RESIGNAL;
    END;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    START TRANSACTION;
    SELECT COUNT(*) INTO held FROM tokens WHERE token = LEAST(plus, minus) FOR UPDATE;
    SELECT COUNT(*) INTO held FROM tokens WHERE token = GREATEST(plus, minus) FOR UPDATE;
    SELECT MAX(p.sticker), MAX(m.sticker) INTO winning, losing
    FROM tokens AS p JOIN tokens AS m ON m.token = p.mate AND m.mate = p.token
    WHERE p.token = plus AND m.token = minus
        AND p.expires > UTC_TIMESTAMP(6) AND m.expires > UTC_TIMESTAMP(6);
    IF winning <> losing THEN
        DELETE FROM tokens WHERE token = plus;
        SET changed = ROW_COUNT();
        DELETE FROM tokens WHERE token = minus;
        SET changed = changed + ROW_COUNT();
        UPDATE stickers SET up = up + (id = winning), down = down + (id = losing)
        WHERE id = LEAST(winning, losing);
        SET changed = changed + ROW_COUNT();
        UPDATE stickers SET up = up + (id = winning), down = down + (id = losing)
        WHERE id = GREATEST(winning, losing);
        SET changed = changed + ROW_COUNT();
    END IF;
    IF changed = 4 THEN
        INSERT INTO votes (cast_at, winner, loser, voter) VALUES (moment, winning, losing, who);
        UPDATE counters SET value = value + 1
        WHERE name = 'votes' AND slot = MOD(CONNECTION_ID(), 64);
        COMMIT;
    ELSE
        ROLLBACK;
    END IF;
    SELECT changed = 4;
END;

-- Keeps votes of one past day, a list of (moment, winner, loser, voter) in JSON, unless that day has
-- some; returns how many were kept. Two calls at once must not both find the day empty, so they lock
-- the counter of votes, for which votes wait too. The search is a plain SELECT, which waits for nobody:
-- as a condition of IF it would lock what it reads, and wait for a vote that waits for its counter. Rows
-- are inserted one by one, which leaves no gaps in the numbers.
CREATE OR REPLACE PROCEDURE remember_votes(past LONGTEXT)
MODIFIES SQL DATA
BEGIN
    DECLARE midnight BIGINT DEFAULT CAST(JSON_VALUE(past, '$[0][0]') AS SIGNED) DIV 86400 * 86400;
    DECLARE held, found, kept INT DEFAULT 0;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        ROLLBACK;
        RESIGNAL;
    END;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    START TRANSACTION;
    SELECT COUNT(*) INTO held FROM counters WHERE name = 'votes' FOR UPDATE;
    SELECT COUNT(*) INTO found FROM votes WHERE cast_at >= midnight AND cast_at < midnight + 86400;
    IF found = 0 THEN
        FOR vote IN (
            SELECT given.moment, given.winner, given.loser, given.voter
            FROM JSON_TABLE(past, '$[*]' COLUMNS (
                place FOR ORDINALITY,
                moment BIGINT PATH '$[0]',
                winner BIGINT PATH '$[1]',
                loser BIGINT PATH '$[2]',
                voter BIGINT PATH '$[3]'
            )) AS given ORDER BY given.place
        ) DO
            INSERT INTO votes (cast_at, winner, loser, voter)
            VALUES (vote.moment, vote.winner, vote.loser, vote.voter);
            SET kept = kept + 1;
        END FOR;
    END IF;
    COMMIT;
    SELECT kept;
END;

-- Cleaning deletes rows that are too old, then rows beyond the first `most`, the oldest first, at most
-- `batch` in all, and returns how many. A vote locks the two tokens of a ballot in another order than
-- that of their age. Cleaning skips locked rows, so the two never wait for each other in a circle. The
-- index is forced, because MariaDB's estimate of the number of rows may be old.
CREATE OR REPLACE PROCEDURE clean_tokens(most BIGINT, batch BIGINT)
MODIFIES SQL DATA
BEGIN
    DECLARE newest, room BIGINT;
    DECLARE gone INT DEFAULT 0;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        ROLLBACK;
        RESIGNAL;
    END;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    START TRANSACTION;
    SELECT MAX(number) INTO newest FROM tokens;
    FOR aged IN (
        SELECT token FROM tokens FORCE INDEX (tokens_by_expiry) WHERE expires <= UTC_TIMESTAMP(6)
        ORDER BY expires LIMIT batch FOR UPDATE SKIP LOCKED
    ) DO
        DELETE FROM tokens WHERE token = aged.token;
        SET gone = gone + 1;
    END FOR;
    SET room = batch - gone;
    FOR surplus IN (
        SELECT token FROM tokens FORCE INDEX (tokens_by_number) WHERE number <= newest - most
        ORDER BY number LIMIT room FOR UPDATE SKIP LOCKED
    ) DO
        DELETE FROM tokens WHERE token = surplus.token;
        SET gone = gone + 1;
    END FOR;
    COMMIT;
    SELECT gone;
END;

-- A deleted visitor still counts: both changes are one transaction.
CREATE OR REPLACE PROCEDURE clean_sessions(age BIGINT, most BIGINT, batch BIGINT)
MODIFIES SQL DATA
BEGIN
    DECLARE number, renewed, gone INT DEFAULT 0;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        ROLLBACK;
        RESIGNAL;
    END;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    START TRANSACTION;
    FOR ahead IN (
        SELECT session FROM sessions FORCE INDEX (sessions_by_seen)
        WHERE seen > UTC_TIMESTAMP(6) + INTERVAL 1 MINUTE
        ORDER BY seen LIMIT batch FOR UPDATE SKIP LOCKED
    ) DO
        UPDATE sessions SET seen = UTC_TIMESTAMP(6) WHERE session = ahead.session;
        SET renewed = renewed + 1;
    END FOR;
    FOR aged IN (
        SELECT session FROM sessions FORCE INDEX (sessions_by_seen)
        WHERE seen <= UTC_TIMESTAMP(6) - INTERVAL age SECOND
        ORDER BY seen LIMIT batch FOR UPDATE SKIP LOCKED
    ) DO
        DELETE FROM sessions WHERE session = aged.session;
        SET gone = gone + 1;
    END FOR;
    SELECT LEAST(batch - gone, GREATEST(0, COUNT(*) - most)) INTO number FROM sessions;
    FOR surplus IN (
        SELECT session FROM sessions FORCE INDEX (sessions_by_seen)
        ORDER BY seen LIMIT number FOR UPDATE SKIP LOCKED
    ) DO
        DELETE FROM sessions WHERE session = surplus.session;
        SET gone = gone + 1;
    END FOR;
    UPDATE counters SET value = value + gone WHERE name = 'visitors_gone' AND slot = 0;
    COMMIT;
    SELECT GREATEST(gone, renewed);
END;

-- Votes never change, so none is locked.
CREATE OR REPLACE PROCEDURE clean_votes(most BIGINT, batch BIGINT)
MODIFIES SQL DATA
BEGIN
    DECLARE newest BIGINT;
    SELECT MAX(number) INTO newest FROM votes;
    DELETE FROM votes WHERE number <= newest - most ORDER BY number LIMIT batch;
    SELECT ROW_COUNT();
END;
