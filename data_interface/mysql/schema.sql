-- The sticker site's own tables and procedures, in a database of their own. Safe to run again: no row
-- that is there is changed.
-- The first table says whose database this is, and which version of this file was run.
CREATE TABLE IF NOT EXISTS sticker_site_layout (
    only_row INT PRIMARY KEY,
    version CHAR(64) NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- Texts are compared as bytes, and spaces at their ends count: what is one title to a language would
-- be two to the other databases.
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

-- No foreign key to stickers: it would lock a sticker's row at every view. The vote looks.
-- The number is the order of age: the oldest go when there are too many.
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

-- What was voted when, by the site's clock: seconds since 1970, so that days and hours are divisions,
-- the same in every database. Voters are numbers, 0 is nobody known. The number is the order in which
-- votes came: the first go when there are too many. No foreign keys, as for tokens.
CREATE TABLE IF NOT EXISTS votes (
    number BIGINT PRIMARY KEY AUTO_INCREMENT,
    cast_at BIGINT NOT NULL,
    winner BIGINT NOT NULL,
    loser BIGINT NOT NULL,
    voter BIGINT NOT NULL,
    KEY votes_by_time (cast_at, number)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- One counter is several rows, one for each of 64 groups of connections: pages that count at the same
-- time do not queue for one row.
CREATE TABLE IF NOT EXISTS counters (
    name VARCHAR(32) NOT NULL,
    slot INT NOT NULL,
    value BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (name, slot)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
INSERT INTO counters (name, slot)
SELECT names.name, slots.seq
FROM (SELECT 'views' AS name UNION SELECT 'votes' UNION SELECT 'visitors_gone') AS names
CROSS JOIN seq_0_to_63 AS slots WHERE TRUE
ON DUPLICATE KEY UPDATE value = value;

-- Locks are taken in one order by every vote, tokens by name, then stickers by id, then a counter, each
-- row by its whole key and so alone: votes on the same stickers wait for each other and never deadlock.
-- Each statement sees what was committed before it (READ COMMITTED), so what is read under the locks
-- is what is changed; and yet only whose deletions found both tokens counts: in the seconds after a
-- crash MariaDB 10.11 was seen to let two votes read the same tokens. Rows are counted, not looked
-- for: what finds none would leave a warning, and a driver asks for those.
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

-- Votes of one day of the past, a list of (moment, winner, loser, voter) in JSON, unless that day has
-- some; how many were kept. Two of these at once must not both find the day empty: the counter of votes
-- is what they wait for, and who votes meanwhile. One by one, as only then no numbers are left out.
CREATE OR REPLACE PROCEDURE remember_votes(past LONGTEXT)
MODIFIES SQL DATA
BEGIN
    DECLARE midnight BIGINT DEFAULT CAST(JSON_VALUE(past, '$[0][0]') AS SIGNED) DIV 86400 * 86400;
    DECLARE held, kept INT DEFAULT 0;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        ROLLBACK;
        RESIGNAL;
    END;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    START TRANSACTION;
    SELECT COUNT(*) INTO held FROM counters WHERE name = 'votes' FOR UPDATE;
    IF NOT EXISTS (
        SELECT * FROM votes WHERE cast_at >= midnight AND cast_at < midnight + 86400
    ) THEN
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

-- The cleaning: what is too old, then what is more than `most`, the oldest first, at most `batch`
-- together; how many went. A vote locks the two tokens of a ballot in another order than that of age. What
-- is locked is left for the next time, so that cleaning and voting never wait for each other in a
-- circle. By index, whatever MariaDB takes for the number of rows: it counts them from time to time.
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

-- A visitor who is forgotten still counts: both changes are one.
CREATE OR REPLACE PROCEDURE clean_sessions(age BIGINT, most BIGINT, batch BIGINT)
MODIFIES SQL DATA
BEGIN
    DECLARE number, gone INT DEFAULT 0;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        ROLLBACK;
        RESIGNAL;
    END;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    START TRANSACTION;
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
    SELECT gone;
END;

-- Nobody changes a vote of the past: none is locked. The last to come says how old the others are.
CREATE OR REPLACE PROCEDURE clean_votes(age BIGINT, most BIGINT, batch BIGINT)
MODIFIES SQL DATA
BEGIN
    DECLARE newest, latest, room BIGINT;
    DECLARE gone INT DEFAULT 0;
    SELECT MAX(number) INTO newest FROM votes;
    SET latest = (SELECT cast_at FROM votes WHERE number = newest);
    DELETE FROM votes WHERE cast_at <= latest - age ORDER BY cast_at LIMIT batch;
    SET gone = ROW_COUNT();
    SET room = batch - gone;
    DELETE FROM votes WHERE number <= newest - most ORDER BY number LIMIT room;
    SELECT gone + ROW_COUNT();
END;
