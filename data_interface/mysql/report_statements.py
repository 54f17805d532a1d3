"""The requests of the reports in MariaDB's SQL, one statement each.

A span is half open, ``since <= cast_at < till``. Spans of a day or less are found by the index on
``cast_at``; a month is most of the table, and summing it is the work. Sums are cast: those of whole
numbers are decimal ones in MariaDB.
"""

# ruff: noqa: S608  only constants are put together here
from data_interface.mysql.statements import PACKS as TITLES  # noqa: F401

IN_SPAN = "cast_at >= $1 AND cast_at < $2"
KNOWN = "voter > 0"
# Each vote gives two rows: one for its winner and one for its loser.
MOVES = "votes CROSS JOIN (SELECT 1 AS gain UNION ALL SELECT -1) AS side"
MOVED = "IF(side.gain > 0, winner, loser)"
GAIN = "CAST(SUM(side.gain) AS SIGNED)"
PACK_MOVES = f"{MOVES} JOIN stickers AS s ON s.id = {MOVED}"

FIGURES = f"SELECT COUNT(*), COUNT(DISTINCT NULLIF(voter, 0)) FROM votes WHERE {IN_SPAN}"
PER_SLOT = f"SELECT (cast_at - $1) DIV $3, COUNT(*) FROM votes WHERE {IN_SPAN} GROUP BY 1"
WINNERS = f"""
    SELECT s.id, s.title, v.wins FROM (
        SELECT winner, COUNT(*) AS wins FROM votes WHERE {IN_SPAN} GROUP BY winner
    ) AS v JOIN stickers AS s ON s.id = v.winner
    ORDER BY v.wins DESC, s.id LIMIT $3"""
# The subquery finds the latest votes first, and only these are joined with stickers.
LATEST = """
    SELECT STRAIGHT_JOIN v.cast_at, w.id, w.title, l.id, l.title FROM votes AS v
    JOIN stickers AS w ON w.id = v.winner JOIN stickers AS l ON l.id = v.loser
    WHERE v.cast_at < $1 ORDER BY v.cast_at DESC, v.number DESC LIMIT $2"""

RATING_BINS = "SELECT CAST(FLOOR(rating / $1) AS SIGNED), COUNT(*) FROM stickers GROUP BY 1"
ATTENTION_BINS = "SELECT (up + down) DIV $1, COUNT(*) FROM stickers GROUP BY 1"
# The number of stickers up to each rating: a quartile is where it passes a quarter of all.
REACHED = """
    SELECT rating, SUM(stickers) OVER (ORDER BY rating) AS reached, SUM(stickers) OVER () AS number
    FROM (SELECT rating, COUNT(*) AS stickers FROM stickers GROUP BY rating) AS rated"""
SPREAD = f"""
    SELECT CAST(COALESCE(MAX(number), 0) AS SIGNED), COALESCE(MIN(rating), 0),
        COALESCE(MIN(IF(reached * 4 >= number, rating, NULL)), 0),
        COALESCE(MIN(IF(reached * 4 >= number * 2, rating, NULL)), 0),
        COALESCE(MIN(IF(reached * 4 >= number * 3, rating, NULL)), 0),
        COALESCE(MAX(rating), 0)
    FROM ({REACHED}) AS found"""
CONTESTED = """
    SELECT id, title, up, down FROM stickers WHERE ABS(rating) <= $1
    ORDER BY up + down DESC, id LIMIT $2"""
GAINED = f"SELECT {MOVED} AS sticker, {GAIN} AS gained FROM {MOVES} WHERE {IN_SPAN} GROUP BY 1"
RISING = f"""
    SELECT s.id, s.title, s.rating, g.gained FROM ({GAINED}) AS g
    JOIN stickers AS s ON s.id = g.sticker
    WHERE g.gained > 0 ORDER BY g.gained DESC, s.id LIMIT $3"""
FALLING = f"""
    SELECT s.id, s.title, s.rating, g.gained FROM ({GAINED}) AS g
    JOIN stickers AS s ON s.id = g.sticker
    WHERE g.gained < 0 ORDER BY g.gained, s.id LIMIT $3"""

PACK_GAINS = f"""
    SELECT s.pack, COUNT(IF(side.gain > 0, 1, NULL)), COUNT(IF(side.gain < 0, 1, NULL))
    FROM {PACK_MOVES} WHERE {IN_SPAN}
    GROUP BY s.pack ORDER BY SUM(side.gain) DESC, s.pack LIMIT $3"""
PACK_CHANGES = f"SELECT s.pack, {GAIN} FROM {PACK_MOVES} WHERE {IN_SPAN} GROUP BY s.pack"
PACK_DAYS = f"""
    SELECT s.pack, (cast_at - $1) DIV 86400, {GAIN} FROM {PACK_MOVES}
    WHERE {IN_SPAN} AND FIND_IN_SET(s.pack, $3) GROUP BY 1, 2"""
# The packs come as one text, "1,2,3".
PACK_LEADERS = """
    SELECT pack, id, title, rating FROM (
        SELECT s.pack, s.id, s.title, s.rating,
            ROW_NUMBER() OVER (PARTITION BY s.pack ORDER BY s.rating DESC, s.id) AS place
        FROM JSON_TABLE(CONCAT('[', $1, ']'), '$[*]' COLUMNS (pack BIGINT PATH '$')) AS chosen
        JOIN stickers AS s ON s.pack = chosen.pack
    ) AS ranked WHERE place = 1"""

HOURS = f"""
    SELECT MOD(cast_at, 86400) DIV 3600, COUNT(*), COUNT(DISTINCT NULLIF(voter, 0)) FROM votes
    WHERE {IN_SPAN} GROUP BY 1"""
# Hours of the week count from Monday; 1970 began on a Thursday.
WEEK_HOURS = f"""
    SELECT MOD(cast_at DIV 3600 + 72, 168), COUNT(*) FROM votes WHERE {IN_SPAN} GROUP BY 1"""
# The days of the span on which each voter voted.
VISITS = f"""
    SELECT DISTINCT voter, (cast_at - $1) DIV 86400 AS visited FROM votes
    WHERE {IN_SPAN} AND {KNOWN}"""
RETURNS = f"""
    SELECT visits, COUNT(*) FROM (
        SELECT COUNT(*) AS visits FROM ({VISITS}) AS each_day GROUP BY voter
    ) AS voters GROUP BY visits"""
VOTES_EACH = f"""
    SELECT number, COUNT(*) FROM (
        SELECT COUNT(*) AS number FROM votes WHERE {IN_SPAN} AND {KNOWN} GROUP BY voter
    ) AS voters GROUP BY number"""
VOTER_DAYS = f"""
    SELECT visited, COUNT(*), COUNT(IF(visited = first_visit, 1, NULL)) FROM (
        SELECT visited, MIN(visited) OVER (PARTITION BY voter) AS first_visit
        FROM ({VISITS}) AS each_day
    ) AS voters GROUP BY visited"""
REMEMBER = "CALL remember_votes($1)"
