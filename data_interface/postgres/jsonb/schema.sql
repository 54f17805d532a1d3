-- The sticker site's schema with one JSONb column for each table, whose rows are arrays as Tarantool's
-- tuples are. It is safe to run again, and touches nothing outside of the schema.
--
-- A column takes part in every index as an expression of `data`, so each update of a row writes all of
-- its indexes anew (there are no HOT updates). The views name the fields, for whatever only reads or
-- deletes rows; they cost nothing, since PostgreSQL puts their expressions into the statement.
CREATE SCHEMA IF NOT EXISTS sticker_site_json;

CREATE SEQUENCE IF NOT EXISTS sticker_site_json.pack_ids;
CREATE SEQUENCE IF NOT EXISTS sticker_site_json.sticker_ids;
CREATE SEQUENCE IF NOT EXISTS sticker_site_json.token_numbers;
CREATE SEQUENCE IF NOT EXISTS sticker_site_json.vote_numbers;

-- [id, title]
CREATE TABLE IF NOT EXISTS sticker_site_json.packs_json (data jsonb NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS packs_by_id
ON sticker_site_json.packs_json (((data ->> 0)::bigint));
CREATE UNIQUE INDEX IF NOT EXISTS packs_by_title ON sticker_site_json.packs_json ((data ->> 1));
CREATE OR REPLACE VIEW sticker_site_json.packs AS
SELECT (data ->> 0)::bigint AS id, data ->> 1 AS title FROM sticker_site_json.packs_json;

-- [id, rating, pack, title, up, down]
CREATE TABLE IF NOT EXISTS sticker_site_json.stickers_json (data jsonb NOT NULL)
WITH (fillfactor = 70, autovacuum_vacuum_cost_delay = 0);
CREATE UNIQUE INDEX IF NOT EXISTS stickers_by_id
ON sticker_site_json.stickers_json (((data ->> 0)::bigint));
CREATE INDEX IF NOT EXISTS stickers_by_rating
ON sticker_site_json.stickers_json USING btree (((data ->> 1)::int));
CREATE INDEX IF NOT EXISTS stickers_by_pack
ON sticker_site_json.stickers_json (((data ->> 2)::bigint), ((data ->> 0)::bigint));
CREATE OR REPLACE VIEW sticker_site_json.stickers AS
SELECT
    (data ->> 0)::bigint AS id, (data ->> 2)::bigint AS pack, data ->> 3 AS title,
    (data ->> 1)::int AS rating, (data ->> 4)::int AS up, (data ->> 5)::int AS down
FROM sticker_site_json.stickers_json;

-- JSONb has no foreign keys. A sticker that is created meanwhile holds a lock on its pack.
CREATE OR REPLACE FUNCTION sticker_site_json.keep_stickers()
RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM sticker_site_json.stickers AS s WHERE s.pack = (OLD.data ->> 0)::bigint
    ) THEN
        RAISE foreign_key_violation USING MESSAGE = 'the pack still has stickers';
    END IF;
    RETURN OLD;
END
$$;
CREATE OR REPLACE TRIGGER keep_stickers BEFORE DELETE ON sticker_site_json.packs_json
FOR EACH ROW EXECUTE FUNCTION sticker_site_json.keep_stickers();

-- [token, sticker, mate, expires, number]
CREATE TABLE IF NOT EXISTS sticker_site_json.tokens_json (data jsonb NOT NULL) WITH (
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 10000,
    autovacuum_vacuum_insert_scale_factor = 0.5
);
CREATE UNIQUE INDEX IF NOT EXISTS tokens_by_token
ON sticker_site_json.tokens_json ((data ->> 0));
CREATE INDEX IF NOT EXISTS tokens_by_expiry
ON sticker_site_json.tokens_json (to_timestamp((data ->> 3)::float8));
CREATE INDEX IF NOT EXISTS tokens_by_number
ON sticker_site_json.tokens_json (((data ->> 4)::bigint));
CREATE OR REPLACE VIEW sticker_site_json.tokens AS
SELECT
    ctid, data ->> 0 AS token, (data ->> 1)::bigint AS sticker, data ->> 2 AS mate,
    to_timestamp((data ->> 3)::float8) AS expires, (data ->> 4)::bigint AS number
FROM sticker_site_json.tokens_json;

-- [session, seen, visits, address, agent]. The article casts the id to a UUID, and a visitor may send
-- one that is none; its hash always is.
CREATE TABLE IF NOT EXISTS sticker_site_json.sessions_json (data jsonb NOT NULL) WITH (
    fillfactor = 80,
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 10000,
    autovacuum_vacuum_insert_scale_factor = 0.5
);
CREATE UNIQUE INDEX IF NOT EXISTS sessions_by_session
ON sticker_site_json.sessions_json ((md5(data ->> 0)::uuid));
CREATE INDEX IF NOT EXISTS sessions_by_seen
ON sticker_site_json.sessions_json (to_timestamp((data ->> 1)::float8));
CREATE OR REPLACE VIEW sticker_site_json.sessions AS
SELECT
    ctid, data ->> 0 AS session, to_timestamp((data ->> 1)::float8) AS seen,
    (data ->> 2)::bigint AS visits, data ->> 3 AS address, data ->> 4 AS agent
FROM sticker_site_json.sessions_json;

-- [number, cast_at, winner, loser, voter]
CREATE TABLE IF NOT EXISTS sticker_site_json.votes_json (data jsonb NOT NULL) WITH (
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 10000,
    autovacuum_vacuum_insert_scale_factor = 0.5
);
CREATE INDEX IF NOT EXISTS votes_by_number
ON sticker_site_json.votes_json (((data ->> 0)::bigint));
CREATE INDEX IF NOT EXISTS votes_by_time
ON sticker_site_json.votes_json (((data ->> 1)::bigint), ((data ->> 0)::bigint));
CREATE OR REPLACE VIEW sticker_site_json.votes AS
SELECT
    ctid, (data ->> 0)::bigint AS number, (data ->> 1)::bigint AS cast_at,
    (data ->> 2)::bigint AS winner, (data ->> 3)::bigint AS loser, (data ->> 4)::bigint AS voter
FROM sticker_site_json.votes_json;

-- [name, slot, value]
CREATE TABLE IF NOT EXISTS sticker_site_json.counters_json (data jsonb NOT NULL) WITH (
    fillfactor = 10,
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 1000
);
CREATE UNIQUE INDEX IF NOT EXISTS counters_by_name
ON sticker_site_json.counters_json ((data ->> 0), ((data ->> 1)::int));
CREATE OR REPLACE VIEW sticker_site_json.counters AS
SELECT data ->> 0 AS name, (data ->> 1)::int AS slot, (data ->> 2)::bigint AS value
FROM sticker_site_json.counters_json;
INSERT INTO sticker_site_json.counters_json (data)
SELECT jsonb_build_array(name, slot, 0)
FROM unnest(ARRAY['views', 'votes', 'edits', 'visitors_gone']) AS name, generate_series(0, 63) AS slot
ON CONFLICT DO NOTHING;

-- It locks in the order of `cast_vote` in ../schema.sql: tokens by name, stickers by id, a counter.
CREATE OR REPLACE FUNCTION sticker_site_json.cast_vote(
    plus text, minus text, who bigint, moment bigint
)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    winning bigint;
    losing bigint;
    there integer;
BEGIN
    PERFORM FROM sticker_site_json.tokens AS t
    WHERE t.token IN (plus, minus) ORDER BY t.token FOR UPDATE;
    SELECT p.sticker, m.sticker INTO winning, losing
    FROM sticker_site_json.tokens AS p JOIN sticker_site_json.tokens AS m
        ON m.token = p.mate AND m.mate = p.token
    WHERE p.token = plus AND m.token = minus
        AND p.expires > clock_timestamp() AND m.expires > clock_timestamp();
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM FROM sticker_site_json.stickers AS s
    WHERE s.id IN (winning, losing) ORDER BY s.id FOR NO KEY UPDATE;
    GET DIAGNOSTICS there = ROW_COUNT;
    IF there <> 2 THEN
        RETURN false;
    END IF;
    UPDATE sticker_site_json.stickers_json SET data = jsonb_set(
        jsonb_set(data, '{1}', to_jsonb((data ->> 1)::int + 1)),
        '{4}', to_jsonb((data ->> 4)::int + 1)
    ) WHERE (data ->> 0)::bigint = winning;
    UPDATE sticker_site_json.stickers_json SET data = jsonb_set(
        jsonb_set(data, '{1}', to_jsonb((data ->> 1)::int - 1)),
        '{5}', to_jsonb((data ->> 5)::int + 1)
    ) WHERE (data ->> 0)::bigint = losing;
    DELETE FROM sticker_site_json.tokens AS t WHERE t.token IN (plus, minus);
    INSERT INTO sticker_site_json.votes_json (data) VALUES (jsonb_build_array(
        nextval('sticker_site_json.vote_numbers'), moment, winning, losing, who
    ));
    UPDATE sticker_site_json.counters_json
    SET data = jsonb_set(data, '{2}', to_jsonb((data ->> 2)::bigint + 1))
    WHERE data ->> 0 = 'votes' AND (data ->> 1)::int = pg_backend_pid() % 64;
    RETURN true;
END
$$;

-- Keeps votes of one past day, as the function in ../schema.sql does.
CREATE OR REPLACE FUNCTION sticker_site_json.remember_votes(
    moments bigint[], winners bigint[], losers bigint[], voters bigint[]
)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    midnight bigint := moments[1] / 86400 * 86400;
    kept bigint;
BEGIN
    LOCK TABLE sticker_site_json.votes_json IN SHARE ROW EXCLUSIVE MODE;
    IF EXISTS (
        SELECT FROM sticker_site_json.votes AS v
        WHERE v.cast_at >= midnight AND v.cast_at < midnight + 86400
    ) THEN
        RETURN 0;
    END IF;
    INSERT INTO sticker_site_json.votes_json (data)
    SELECT jsonb_build_array(
        nextval('sticker_site_json.vote_numbers'), past.moment, past.winner, past.loser, past.voter
    )
    FROM (
        SELECT * FROM unnest(moments, winners, losers, voters)
            WITH ORDINALITY AS given (moment, winner, loser, voter, place)
        ORDER BY place
    ) AS past;
    GET DIAGNOSTICS kept = ROW_COUNT;
    RETURN kept;
END
$$;
