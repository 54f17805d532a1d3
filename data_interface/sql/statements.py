"""The statements that every SQL database understands: one request each, parameters only."""

# ruff: noqa: S608  only constants are put together here
STICKER = "id, pack, title, rating, up, down"
BEST = f"SELECT {STICKER} FROM stickers ORDER BY rating DESC, id DESC LIMIT $1"
WORST = f"SELECT {STICKER} FROM stickers ORDER BY rating, id LIMIT $1"
EDITS = "SELECT sum(value) FROM counters WHERE name = 'edits'"
PACKS = "SELECT id, title FROM packs ORDER BY id"
PACK = "SELECT id, title FROM packs WHERE id = $1"
STICKERS = f"SELECT {STICKER} FROM stickers WHERE pack = $1 ORDER BY id"
ONE_STICKER = f"SELECT {STICKER} FROM stickers WHERE pack = $1 AND id = $2"
CREATE_PACK = "INSERT INTO packs (title) VALUES ($1) RETURNING id, title"
DELETE_PACK = "DELETE FROM packs WHERE id = $1 RETURNING id"
# This takes an id only if the pack exists: a refused sticker must not leave a gap.
CREATE_STICKER = f"""
    INSERT INTO stickers (pack, title) SELECT id, $2 FROM packs WHERE id = $1
    RETURNING {STICKER}"""
DELETE_STICKER = "DELETE FROM stickers WHERE pack = $1 AND id = $2 RETURNING id"
