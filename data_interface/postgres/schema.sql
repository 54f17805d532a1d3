-- The sticker site's schema. It is safe to run again: it changes and drops nothing that exists, and
-- touches nothing outside of the schema.
CREATE SCHEMA IF NOT EXISTS sticker_site;

CREATE SEQUENCE IF NOT EXISTS sticker_site.pack_ids;
CREATE SEQUENCE IF NOT EXISTS sticker_site.sticker_ids;

CREATE TABLE IF NOT EXISTS sticker_site.packs (
    id bigint PRIMARY KEY DEFAULT nextval('sticker_site.pack_ids'),
    title text NOT NULL UNIQUE
);

-- Votes rewrite rows. With free space on the page, the next visit reclaims the old version.
CREATE TABLE IF NOT EXISTS sticker_site.stickers (
    id bigint PRIMARY KEY DEFAULT nextval('sticker_site.sticker_ids'),
    pack bigint NOT NULL REFERENCES sticker_site.packs,
    title text NOT NULL,
    rating integer NOT NULL GENERATED ALWAYS AS (up - down) STORED,
    up integer NOT NULL DEFAULT 0,
    down integer NOT NULL DEFAULT 0
) WITH (fillfactor = 70, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX IF NOT EXISTS stickers_by_rating ON sticker_site.stickers (rating, id);
CREATE INDEX IF NOT EXISTS stickers_by_pack ON sticker_site.stickers (pack, id);

-- Ids and tokens are compared as bytes: the order of a language would cost time and mean nothing.
-- There is no foreign key to stickers, which would lock and change a sticker's row at every view; the
-- vote checks them instead. The number is the order of age: if there are too many, the oldest go.
CREATE TABLE IF NOT EXISTS sticker_site.tokens (
    token text COLLATE "C" PRIMARY KEY,
    sticker bigint NOT NULL,
    mate text COLLATE "C" NOT NULL,
    expires timestamptz NOT NULL,
    number bigint NOT NULL GENERATED ALWAYS AS IDENTITY
) WITH (
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 10000,
    autovacuum_vacuum_insert_scale_factor = 0.5
);
CREATE INDEX IF NOT EXISTS tokens_by_expiry ON sticker_site.tokens (expires);
CREATE INDEX IF NOT EXISTS tokens_by_number ON sticker_site.tokens (number);

CREATE TABLE IF NOT EXISTS sticker_site.sessions (
    session text COLLATE "C" PRIMARY KEY,
    visits bigint NOT NULL DEFAULT 1,
    address text NOT NULL,
    agent text NOT NULL,
    seen timestamptz NOT NULL DEFAULT now()
) WITH (
    fillfactor = 80,
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 10000,
    autovacuum_vacuum_insert_scale_factor = 0.5
);
CREATE INDEX IF NOT EXISTS sessions_by_seen ON sticker_site.sessions (seen);

-- The history of votes. Times are seconds since 1970 by the site's clock, so that days and hours are
-- divisions, the same in every database. Voters are numbers, 0 if unknown. The number is the order of
-- arrival: if there are too many, the first go. There are no foreign keys, as for tokens.
CREATE TABLE IF NOT EXISTS sticker_site.votes (
    number bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    cast_at bigint NOT NULL,
    winner bigint NOT NULL,
    loser bigint NOT NULL,
    voter bigint NOT NULL
) WITH (
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 10000,
    autovacuum_vacuum_insert_scale_factor = 0.5
);
CREATE INDEX IF NOT EXISTS votes_by_time ON sticker_site.votes (cast_at, number);

-- A counter is several rows, one for each of SLOTS groups of connections, so that pages that count at
-- the same time do not wait for one row. Nearly empty pages keep every update on its page (HOT).
CREATE TABLE IF NOT EXISTS sticker_site.counters (
    name text COLLATE "C" NOT NULL,
    slot integer NOT NULL,
    value bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (name, slot)
) WITH (
    fillfactor = 10,
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 1000
);
INSERT INTO sticker_site.counters (name, slot)
SELECT name, slot
FROM unnest(ARRAY['views', 'votes', 'edits', 'visitors_gone']) AS name, generate_series(0, 63) AS slot
ON CONFLICT DO NOTHING;

-- Every vote takes its locks in the same order, tokens by name, then stickers by id, then a counter, so
-- votes on the same stickers wait for each other and never deadlock. Each statement sees all that was
-- committed before it, so rows that are read under the locks have not changed when they are updated.
CREATE OR REPLACE FUNCTION sticker_site.cast_vote(
    plus text, minus text, who bigint, moment bigint
)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    winner bigint;
    loser bigint;
    there integer;
BEGIN
    PERFORM FROM sticker_site.tokens AS t
    WHERE t.token IN (plus, minus) ORDER BY t.token FOR UPDATE;
    SELECT p.sticker, m.sticker INTO winner, loser
    FROM sticker_site.tokens AS p JOIN sticker_site.tokens AS m
        ON m.token = p.mate AND m.mate = p.token
    WHERE p.token = plus AND m.token = minus
        AND p.expires > clock_timestamp() AND m.expires > clock_timestamp();
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM FROM sticker_site.stickers AS s
    WHERE s.id IN (winner, loser) ORDER BY s.id FOR NO KEY UPDATE;
    GET DIAGNOSTICS there = ROW_COUNT;
    IF there <> 2 THEN
        RETURN false;
    END IF;
    UPDATE sticker_site.stickers SET up = up + 1 WHERE id = winner;
    UPDATE sticker_site.stickers SET down = down + 1 WHERE id = loser;
    DELETE FROM sticker_site.tokens AS t WHERE t.token IN (plus, minus);
    INSERT INTO sticker_site.votes (cast_at, winner, loser, voter)
    VALUES (moment, winner, loser, who);
    UPDATE sticker_site.counters SET value = value + 1
    WHERE name = 'votes' AND slot = pg_backend_pid() % 64;
    RETURN true;
END
$$;

-- Keeps votes of one past day, in the order of the arrays, unless that day has some; returns how many
-- were kept. The lock lets readers pass, but not a second call that would find the day empty too.
CREATE OR REPLACE FUNCTION sticker_site.remember_votes(
    moments bigint[], winners bigint[], losers bigint[], voters bigint[]
)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    midnight bigint := moments[1] / 86400 * 86400;
    kept bigint;
BEGIN
    LOCK TABLE sticker_site.votes IN SHARE ROW EXCLUSIVE MODE;
    IF EXISTS (
        SELECT FROM sticker_site.votes WHERE cast_at >= midnight AND cast_at < midnight + 86400
    ) THEN
        RETURN 0;
    END IF;
    INSERT INTO sticker_site.votes (cast_at, winner, loser, voter)
    SELECT past.moment, past.winner, past.loser, past.voter
    FROM unnest(moments, winners, losers, voters)
        WITH ORDINALITY AS past (moment, winner, loser, voter, place)
    ORDER BY past.place;
    GET DIAGNOSTICS kept = ROW_COUNT;
    RETURN kept;
END
$$;

-- What follows answers Index, Good and Bad by one function each, which is one transaction.

-- 128 random bits, as NEW_ID in `statements.py` draws them.
CREATE OR REPLACE FUNCTION sticker_site.new_id()
RETURNS text LANGUAGE sql VOLATILE AS $$
    SELECT encode(substring(sha256(
        uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())
    ) FOR 16), 'hex')
$$;

-- Draws two stickers with a token for each, and counts the visit and the view. `known` is NULL for a
-- new visitor. All is NULL if there are no two stickers. It locks a session, then a counter.
CREATE OR REPLACE FUNCTION sticker_site.ballot(
    known text, from_address text, with_agent text, lifetime interval,
    OUT visitor text,
    OUT left_id bigint, OUT left_pack bigint, OUT left_title text,
    OUT left_rating integer, OUT left_up integer, OUT left_down integer,
    OUT left_token text,
    OUT right_id bigint, OUT right_pack bigint, OUT right_title text,
    OUT right_rating integer, OUT right_up integer, OUT right_down integer,
    OUT right_token text
)
LANGUAGE plpgsql AS $$
DECLARE
    lowest bigint;
    highest bigint;
    drawn bigint;
BEGIN
    SELECT min(s.id), max(s.id) INTO lowest, highest FROM sticker_site.stickers AS s;
    drawn := lowest + floor(random() * (highest - lowest + 1))::bigint;
    SELECT s.id, s.pack, s.title, s.rating, s.up, s.down
    INTO left_id, left_pack, left_title, left_rating, left_up, left_down
    FROM sticker_site.stickers AS s WHERE s.id >= drawn ORDER BY s.id LIMIT 1;
    FOR draw IN 1..4 LOOP
        drawn := lowest + floor(random() * (highest - lowest + 1))::bigint;
        SELECT s.id, s.pack, s.title, s.rating, s.up, s.down
        INTO right_id, right_pack, right_title, right_rating, right_up, right_down
        FROM sticker_site.stickers AS s WHERE s.id >= drawn ORDER BY s.id LIMIT 1;
        EXIT WHEN right_id <> left_id;
    END LOOP;
    IF (right_id <> left_id) IS NOT TRUE THEN
        RETURN;
    END IF;
    visitor := coalesce(known, sticker_site.new_id());
    left_token := sticker_site.new_id();
    right_token := sticker_site.new_id();
    INSERT INTO sticker_site.tokens (token, sticker, mate, expires) VALUES
        (left_token, left_id, right_token, now() + lifetime),
        (right_token, right_id, left_token, now() + lifetime);
    INSERT INTO sticker_site.sessions AS s (session, address, agent)
    VALUES (visitor, from_address, with_agent)
    ON CONFLICT (session) DO UPDATE SET visits = s.visits + 1,
        address = excluded.address, agent = excluded.agent, seen = excluded.seen;
    UPDATE sticker_site.counters SET value = value + 1
    WHERE name = 'views' AND slot = pg_backend_pid() % 64;
END
$$;

-- Counts the visit. Returns a row with the visitor alone, then one for each sticker at one end of the
-- ranking.
CREATE OR REPLACE FUNCTION sticker_site.podium(
    known text, from_address text, with_agent text, places integer, best boolean
)
RETURNS TABLE (
    visitor text, of_id bigint, of_pack bigint, of_title text,
    of_rating integer, of_up integer, of_down integer
)
LANGUAGE plpgsql AS $$
BEGIN
    visitor := coalesce(known, sticker_site.new_id());
    INSERT INTO sticker_site.sessions AS s (session, address, agent)
    VALUES (visitor, from_address, with_agent)
    ON CONFLICT (session) DO UPDATE SET visits = s.visits + 1,
        address = excluded.address, agent = excluded.agent, seen = excluded.seen;
    RETURN NEXT;
    IF best THEN
        RETURN QUERY SELECT visitor, s.id, s.pack, s.title, s.rating, s.up, s.down
        FROM sticker_site.stickers AS s ORDER BY s.rating DESC, s.id DESC LIMIT places;
    ELSE
        RETURN QUERY SELECT visitor, s.id, s.pack, s.title, s.rating, s.up, s.down
        FROM sticker_site.stickers AS s ORDER BY s.rating, s.id LIMIT places;
    END IF;
END
$$;
