"""The requests of the reports in PostgreSQL's SQL, one statement each.

A span is half open, ``since <= cast_at < till``. Spans of a day or less are found by the index on
``cast_at``; a month is most of the table, and summing it is the work. GROUP BY names columns by
position: if an expression were repeated, a driver that sends a new parameter for each use would
make PostgreSQL see two expressions. No two columns of a statement have one name: rows may be read
by name.
"""

# ruff: noqa: S608  only constants are put together here
from data_interface.postgres.statements import PACKS as TITLES  # noqa: F401

IN_SPAN = "cast_at >= $1::bigint AND cast_at < $2::bigint"
KNOWN = "voter > 0"
# Each vote gives two rows: one for its winner and one for its loser.
MOVES = """
    votes CROSS JOIN LATERAL (VALUES (winner, 1), (loser, -1)) AS move (sticker, gain)"""
PACK_MOVES = f"{MOVES} JOIN stickers AS s ON s.id = move.sticker"

FIGURES = f"""
    SELECT count(*) AS votes, count(DISTINCT nullif(voter, 0)) AS voters FROM votes
    WHERE {IN_SPAN}"""
PER_SLOT = f"""
    SELECT (cast_at - $1::bigint) / $3::bigint, count(*) FROM votes WHERE {IN_SPAN} GROUP BY 1"""
WINNERS = f"""
    SELECT s.id, s.title, v.wins FROM (
        SELECT winner, count(*) AS wins FROM votes WHERE {IN_SPAN} GROUP BY winner
    ) AS v JOIN stickers AS s ON s.id = v.winner
    ORDER BY v.wins DESC, s.id LIMIT $3::bigint"""
LATEST = """
    SELECT v.cast_at, w.id AS winner, w.title AS winner_title, l.id AS loser,
        l.title AS loser_title
    FROM votes AS v
    JOIN stickers AS w ON w.id = v.winner JOIN stickers AS l ON l.id = v.loser
    WHERE v.cast_at < $1::bigint ORDER BY v.cast_at DESC, v.number DESC LIMIT $2::bigint"""

# floor() rounds negative ratings down; integer division would truncate towards zero.
RATING_BINS = """
    SELECT floor(rating::float8 / $1::bigint)::bigint, count(*) FROM stickers GROUP BY 1"""
ATTENTION_BINS = "SELECT (up + down) / $1::bigint, count(*) FROM stickers GROUP BY 1"
SPREAD = """
    SELECT number, coalesce(lowest, 0) AS lowest, coalesce(quarters[1], 0) AS lower,
        coalesce(quarters[2], 0) AS median, coalesce(quarters[3], 0) AS upper,
        coalesce(highest, 0) AS highest
    FROM (
        SELECT count(*) AS number, min(rating) AS lowest, max(rating) AS highest,
            percentile_disc(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY rating) AS quarters
        FROM stickers
    ) AS found"""
CONTESTED = """
    SELECT id, title, up, down FROM stickers WHERE abs(rating) <= $1::bigint
    ORDER BY up + down DESC, id LIMIT $2::bigint"""
GAINED = f"SELECT move.sticker, sum(move.gain) AS gained FROM {MOVES} WHERE {IN_SPAN} GROUP BY 1"
RISING = f"""
    SELECT s.id, s.title, s.rating, g.gained FROM ({GAINED}) AS g
    JOIN stickers AS s ON s.id = g.sticker
    WHERE g.gained > 0 ORDER BY g.gained DESC, s.id LIMIT $3::bigint"""
FALLING = f"""
    SELECT s.id, s.title, s.rating, g.gained FROM ({GAINED}) AS g
    JOIN stickers AS s ON s.id = g.sticker
    WHERE g.gained < 0 ORDER BY g.gained, s.id LIMIT $3::bigint"""

PACK_GAINS = f"""
    SELECT s.pack, count(*) FILTER (WHERE move.gain > 0) AS won,
        count(*) FILTER (WHERE move.gain < 0) AS lost
    FROM {PACK_MOVES} WHERE {IN_SPAN}
    GROUP BY s.pack ORDER BY sum(move.gain) DESC, s.pack LIMIT $3::bigint"""
PACK_CHANGES = f"""
    SELECT s.pack, sum(move.gain) FROM {PACK_MOVES} WHERE {IN_SPAN} GROUP BY s.pack"""
# The packs come as one text, "1,2,3". For a list of numbers asyncpg would first ask each connection
# for the type of the list, and the first page would have more requests than later ones.
CHOSEN = "ANY (string_to_array(${}::text, ',')::bigint[])"
PACK_DAYS = f"""
    SELECT s.pack, (cast_at - $1::bigint) / 86400, sum(move.gain) FROM {PACK_MOVES}
    WHERE {IN_SPAN} AND s.pack = {CHOSEN.format(3)} GROUP BY 1, 2"""
PACK_LEADERS = f"""
    SELECT DISTINCT ON (pack) pack, id, title, rating FROM stickers
    WHERE pack = {CHOSEN.format(1)} ORDER BY pack, rating DESC, id"""

HOURS = f"""
    SELECT cast_at % 86400 / 3600 AS hour, count(*) AS votes,
        count(DISTINCT nullif(voter, 0)) AS voters
    FROM votes
    WHERE {IN_SPAN} GROUP BY 1"""
# Hours of the week count from Monday; 1970 began on a Thursday.
WEEK_HOURS = f"SELECT (cast_at / 3600 + 72) % 168, count(*) FROM votes WHERE {IN_SPAN} GROUP BY 1"
# The days of the span on which each voter voted.
VISITS = f"""
    SELECT DISTINCT voter, (cast_at - $1::bigint) / 86400 AS day FROM votes
    WHERE {IN_SPAN} AND {KNOWN}"""
RETURNS = f"""
    SELECT days, count(*) FROM (
        SELECT count(*) AS days FROM ({VISITS}) AS visits GROUP BY voter
    ) AS voters GROUP BY 1"""
VOTES_EACH = f"""
    SELECT number, count(*) FROM (
        SELECT count(*) AS number FROM votes WHERE {IN_SPAN} AND {KNOWN} GROUP BY voter
    ) AS voters GROUP BY 1"""
VOTER_DAYS = f"""
    SELECT day, count(*) AS voters, count(*) FILTER (WHERE day = first_day) AS new FROM (
        SELECT day, min(day) OVER (PARTITION BY voter) AS first_day FROM ({VISITS}) AS visits
    ) AS voters GROUP BY 1"""
REMEMBER = "SELECT remember_votes($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[])"
