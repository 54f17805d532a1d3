"""The requests of the reports in SQLite's SQL, one statement each.

A span is half open, ``since <= cast_at < till``. Spans of a day or less are found by the index on
``cast_at``; a month is most of the table, and summing it is the work.
"""

# ruff: noqa: S608  only constants are put together here
from data_interface.sqlite.statements import PACKS as TITLES  # noqa: F401

IN_SPAN = "cast_at >= $1 AND cast_at < $2"
KNOWN = "voter > 0"
# Each vote gives two rows: one for its winner and one for its loser.
MOVES = "votes CROSS JOIN (SELECT 1 AS gain UNION ALL SELECT -1) AS side"
MOVED = "iif(side.gain > 0, winner, loser)"
PACK_MOVES = f"{MOVES} JOIN stickers AS s ON s.id = {MOVED}"

FIGURES = f"SELECT count(*), count(DISTINCT nullif(voter, 0)) FROM votes WHERE {IN_SPAN}"
PER_SLOT = f"SELECT (cast_at - $1) / $3, count(*) FROM votes WHERE {IN_SPAN} GROUP BY 1"
WINNERS = f"""
    SELECT s.id, s.title, v.wins FROM (
        SELECT winner, count(*) AS wins FROM votes WHERE {IN_SPAN} GROUP BY winner
    ) AS v JOIN stickers AS s ON s.id = v.winner
    ORDER BY v.wins DESC, s.id LIMIT $3"""
# A cross join keeps the order of the tables: the latest votes are found first.
LATEST = """
    SELECT v.cast_at, w.id, w.title, l.id, l.title
    FROM votes AS v CROSS JOIN stickers AS w CROSS JOIN stickers AS l
    WHERE v.cast_at < $1 AND w.id = v.winner AND l.id = v.loser
    ORDER BY v.cast_at DESC, v.number DESC LIMIT $2"""

# A division rounds towards 0; this one rounds down.
RATING_BINS = """
    SELECT (rating - (rating % $1 + $1) % $1) / $1, count(*) FROM stickers GROUP BY 1"""
ATTENTION_BINS = "SELECT (up + down) / $1, count(*) FROM stickers GROUP BY 1"
# The number of stickers up to each rating: a quartile is where it passes a quarter of all.
REACHED = """
    SELECT rating, sum(stickers) OVER (ORDER BY rating) AS reached, sum(stickers) OVER () AS number
    FROM (SELECT rating, count(*) AS stickers FROM stickers GROUP BY rating) AS rated"""
SPREAD = f"""
    SELECT coalesce(max(number), 0), coalesce(min(rating), 0),
        coalesce(min(rating) FILTER (WHERE reached * 4 >= number), 0),
        coalesce(min(rating) FILTER (WHERE reached * 4 >= number * 2), 0),
        coalesce(min(rating) FILTER (WHERE reached * 4 >= number * 3), 0),
        coalesce(max(rating), 0)
    FROM ({REACHED}) AS found"""
CONTESTED = """
    SELECT id, title, up, down FROM stickers WHERE abs(rating) <= $1
    ORDER BY up + down DESC, id LIMIT $2"""
GAINED = f"""
    SELECT {MOVED} AS sticker, sum(side.gain) AS gained FROM {MOVES}
    WHERE {IN_SPAN} GROUP BY 1"""
RISING = f"""
    SELECT s.id, s.title, s.rating, g.gained FROM ({GAINED}) AS g
    JOIN stickers AS s ON s.id = g.sticker
    WHERE g.gained > 0 ORDER BY g.gained DESC, s.id LIMIT $3"""
FALLING = f"""
    SELECT s.id, s.title, s.rating, g.gained FROM ({GAINED}) AS g
    JOIN stickers AS s ON s.id = g.sticker
    WHERE g.gained < 0 ORDER BY g.gained, s.id LIMIT $3"""

PACK_GAINS = f"""
    SELECT s.pack, count(*) FILTER (WHERE side.gain > 0), count(*) FILTER (WHERE side.gain < 0)
    FROM {PACK_MOVES} WHERE {IN_SPAN}
    GROUP BY s.pack ORDER BY sum(side.gain) DESC, s.pack LIMIT $3"""
PACK_CHANGES = f"SELECT s.pack, sum(side.gain) FROM {PACK_MOVES} WHERE {IN_SPAN} GROUP BY s.pack"
# The packs come as one text, "1,2,3".
PACK_DAYS = f"""
    SELECT s.pack, (cast_at - $1) / 86400, sum(side.gain) FROM {PACK_MOVES}
    WHERE {IN_SPAN} AND s.pack IN (SELECT value FROM json_each('[' || $3 || ']'))
    GROUP BY 1, 2"""
PACK_LEADERS = """
    SELECT pack, id, title, rating FROM (
        SELECT s.pack, s.id, s.title, s.rating,
            row_number() OVER (PARTITION BY s.pack ORDER BY s.rating DESC, s.id) AS place
        FROM json_each('[' || $1 || ']') AS chosen JOIN stickers AS s ON s.pack = chosen.value
    ) AS ranked WHERE place = 1"""

HOURS = f"""
    SELECT cast_at % 86400 / 3600, count(*), count(DISTINCT nullif(voter, 0)) FROM votes
    WHERE {IN_SPAN} GROUP BY 1"""
# Hours of the week count from Monday; 1970 began on a Thursday.
WEEK_HOURS = f"""
    SELECT (cast_at / 3600 + 72) % 168, count(*) FROM votes WHERE {IN_SPAN} GROUP BY 1"""
# The days of the span on which each voter voted.
VISITS = f"""
    SELECT DISTINCT voter, (cast_at - $1) / 86400 AS visited FROM votes
    WHERE {IN_SPAN} AND {KNOWN}"""
RETURNS = f"""
    SELECT visits, count(*) FROM (
        SELECT count(*) AS visits FROM ({VISITS}) AS each_day GROUP BY voter
    ) AS voters GROUP BY visits"""
VOTES_EACH = f"""
    SELECT number, count(*) FROM (
        SELECT count(*) AS number FROM votes WHERE {IN_SPAN} AND {KNOWN} GROUP BY voter
    ) AS voters GROUP BY number"""
VOTER_DAYS = f"""
    SELECT visited, count(*), count(*) FILTER (WHERE visited = first_visit) FROM (
        SELECT visited, min(visited) OVER (PARTITION BY voter) AS first_visit
        FROM ({VISITS}) AS each_day
    ) AS voters GROUP BY visited"""
# The votes come as one text, a list of (moment, winner, loser, voter) in JSON.
REMEMBER = """
    INSERT INTO votes (cast_at, winner, loser, voter)
    SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'),
        json_extract(value, '$[3]') FROM json_each($1)
    WHERE NOT EXISTS (
        SELECT 1 FROM votes, (SELECT json_extract($1, '$[0][0]') / 86400 * 86400 AS midnight)
        WHERE cast_at >= midnight AND cast_at < midnight + 86400
    ) ORDER BY key RETURNING 1"""
