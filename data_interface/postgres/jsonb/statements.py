"""The requests of PostgreSQL's layout with JSONb, where they differ from those with columns.

Whatever only reads or deletes rows does so through views that have the columns' names.
"""

# ruff: noqa: F403, F405, S608  only constants are put together here
from data_interface.postgres.statements import *
from data_interface.store import TOKEN_SECONDS

FIELDS = """
    (data ->> 0)::bigint, (data ->> 2)::bigint, data ->> 3, (data ->> 1)::int,
    (data ->> 4)::int, (data ->> 5)::int"""
NOW = "extract(epoch FROM now())"
KEEP_TOKEN = f"""
    INSERT INTO tokens_json (data) VALUES (jsonb_build_array(
        $1::text, $2::bigint, $3::text, {NOW} + {TOKEN_SECONDS}, nextval('token_numbers')))"""
TOUCH_SESSION = f"""
    INSERT INTO sessions_json (data)
    VALUES (jsonb_build_array($1::text, {NOW}, 1, $2::text, $3::text))
    ON CONFLICT ((md5(data ->> 0)::uuid)) DO UPDATE SET
        data = jsonb_set(jsonb_set(jsonb_set(jsonb_set(
        sessions_json.data, '{{1}}', excluded.data -> 1),
        '{{2}}', to_jsonb((sessions_json.data ->> 2)::bigint + 1)),
        '{{3}}', excluded.data -> 3),
        '{{4}}', excluded.data -> 4)"""
COUNT_VIEW = """
    UPDATE counters_json SET data = jsonb_set(data, '{2}', to_jsonb((data ->> 2)::bigint + 1))
    WHERE data ->> 0 = 'views' AND (data ->> 1)::int = pg_backend_pid() % 64"""
CREATE_PACK = """
    INSERT INTO packs_json (data) VALUES (jsonb_build_array(nextval('pack_ids'), $1::text))
    RETURNING (data ->> 0)::bigint, data ->> 1"""
RENAME_PACK = """
    UPDATE packs_json SET data = jsonb_set(data, '{1}', to_jsonb($2::text))
    WHERE (data ->> 0)::bigint = $1 RETURNING (data ->> 0)::bigint, data ->> 1"""
# The lock keeps the pack from being deleted until its sticker can be seen.
CREATE_STICKER = f"""
    INSERT INTO stickers_json (data)
    SELECT jsonb_build_array(nextval('sticker_ids'), 0, id, $2::text, 0, 0)
    FROM packs WHERE id = $1 FOR SHARE RETURNING {FIELDS}"""
RENAME_STICKER = f"""
    WITH renamed AS (
        UPDATE stickers_json SET data = jsonb_set(data, '{{3}}', to_jsonb($3::text))
        WHERE (data ->> 2)::bigint = $1 AND (data ->> 0)::bigint = $2 RETURNING data
    ), counted AS (
        UPDATE counters_json SET data = jsonb_set(data, '{{2}}', to_jsonb((data ->> 2)::bigint + 1))
        WHERE data ->> 0 = 'edits' AND (data ->> 1)::int = pg_backend_pid() % 64
            AND EXISTS (SELECT FROM renamed)
    ) SELECT {FIELDS} FROM renamed"""

# Of the schema's creation and of the cleaning.
LOAD_PACKS = """
    INSERT INTO packs_json (data) SELECT jsonb_build_array(id, title)
    FROM unnest($1::bigint[], $2::text[]) AS loaded (id, title)"""
LOAD_STICKERS = """
    INSERT INTO stickers_json (data)
    SELECT jsonb_build_array(id, up - down, pack, title, up, down)
    FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::integer[], $5::integer[])
        AS loaded (id, pack, title, up, down)"""
FORGET = """
    WITH gone AS (DELETE FROM sessions WHERE ctid = ANY (ARRAY({})) RETURNING 1)
    UPDATE counters_json SET data = jsonb_set(
        data, '{{2}}', to_jsonb((data ->> 2)::bigint + (SELECT count(*) FROM gone)))
    WHERE data ->> 0 = 'visitors_gone' AND (data ->> 1)::int = 0
    RETURNING (SELECT count(*) FROM gone)"""
AHEAD_SESSIONS = f"""
    WITH renewed AS (
        UPDATE sessions_json SET data = jsonb_set(data, '{{1}}', to_jsonb({NOW}))
        WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM sessions WHERE seen > now() + interval '1 min'
            ORDER BY seen LIMIT $1 FOR UPDATE SKIP LOCKED
        )) RETURNING 1
    ) SELECT count(*) FROM renewed"""

# What the article began with. It sorts all stickers for one, and looks through all sessions for the
# visits of one, since the index is on the id as a UUID and not as a text.
FIRST_RANDOM_STICKER = f"SELECT {STICKER} FROM stickers ORDER BY random() LIMIT 1"
FIRST_TOUCH_SESSION = TOUCH_SESSION.replace(
    "to_jsonb((sessions_json.data ->> 2)::bigint + 1)",
    "(SELECT ((data ->> 2)::int + 1)::text::jsonb FROM sessions_json WHERE data ->> 0 = $1)",
)
