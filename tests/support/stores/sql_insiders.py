"""Ways into SQL databases past their stores; see ``insiders``."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any, Dict, List, Tuple

from data_interface.reports.rows import Vote
from data_interface.store import Sticker


class SqlInsider:
    """A connection of the store's driver; see ``data_interface.sql.data.Connection``."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def session(self, session: str) -> Tuple[str, str, int]:
        sql = "SELECT address, agent, visits FROM sessions WHERE session = $1"
        row = (await self._connection.fetch(sql, session))[0]
        return row[0], row[1], row[2]

    async def kept(self) -> Tuple[int, int]:
        sql = "SELECT (SELECT COUNT(*) FROM tokens), (SELECT COUNT(*) FROM sessions)"
        row = (await self._connection.fetch(sql))[0]
        return row[0], row[1]

    async def stickers(self) -> List[Sticker]:
        sql = "SELECT id, pack, title, rating, up, down FROM stickers"
        return [Sticker(*row) for row in await self._connection.fetch(sql)]

    async def votes(self) -> List[Vote]:
        sql = "SELECT cast_at, winner, loser, voter FROM votes ORDER BY number"
        return [Vote(*row) for row in await self._connection.fetch(sql)]


class PostgresInsider(SqlInsider):
    async def expire(self, token: str, seconds: int = -1) -> None:
        sql = "UPDATE tokens SET expires = now() + make_interval(secs => $2) WHERE token = $1"
        assert await self._connection.fetch(sql + " RETURNING 1", token, seconds)

    async def keep_token(self, token: str, sticker: int, mate: str) -> None:
        sql = "INSERT INTO tokens VALUES ($1, $2, $3, now() + interval '60 s')"
        await self._connection.fetch(sql, token, sticker, mate)

    async def age_session(self, session: str, seconds: float) -> None:
        sql = "UPDATE sessions SET seen = seen - make_interval(secs => $2) WHERE session = $1"
        assert await self._connection.fetch(sql + " RETURNING 1", session, int(seconds))

    async def forget_votes(self) -> None:
        await self._connection.fetch("DELETE FROM votes RETURNING 1")

    async def refused_urls(self, url: str) -> Dict[str, str]:
        await self._guard("guarded", "right")
        for_user = url.replace("postgres@", "{}@")
        return {
            "wrong password": for_user.format("guarded:secret"),
            "unknown user": for_user.format("nobody:secret"),
            "unknown database": url.replace("/postgres?", "/nowhere?"),
        }

    async def _guard(self, user: str, password: str) -> None:
        """The private server trusts whoever reaches it, but this user needs a password."""
        found = await self._connection.fetch("SELECT 1 FROM pg_roles WHERE rolname = $1", user)
        if not found:
            await self._connection.script(f"CREATE ROLE {user} LOGIN PASSWORD '{password}'")
        rules = (await self._connection.fetch("SHOW hba_file"))[0][0]
        put_first(Path(rules), f"local all {user} scram-sha-256\n")
        await self._connection.fetch("SELECT pg_reload_conf()")
        # The server's main process reads it in its own time.
        await asyncio.sleep(0.3)


class JsonbInsider(PostgresInsider):
    """In the layout with JSONb, whose views can be read and deleted from."""

    async def expire(self, token: str, seconds: int = -1) -> None:
        sql = """UPDATE tokens_json SET data =
            jsonb_set(data, '{3}', to_jsonb(extract(epoch FROM now()) + $2::int))
            WHERE data ->> 0 = $1 RETURNING 1"""
        assert await self._connection.fetch(sql, token, seconds)

    async def keep_token(self, token: str, sticker: int, mate: str) -> None:
        sql = """INSERT INTO tokens_json (data) VALUES (jsonb_build_array($1::text, $2::bigint,
            $3::text, extract(epoch FROM now()) + 60, nextval('token_numbers')))"""
        await self._connection.fetch(sql, token, sticker, mate)

    async def age_session(self, session: str, seconds: float) -> None:
        sql = """UPDATE sessions_json SET data =
            jsonb_set(data, '{1}', to_jsonb((data ->> 1)::numeric - $2::bigint))
            WHERE data ->> 0 = $1 RETURNING 1"""
        assert await self._connection.fetch(sql, session, int(seconds))


def put_first(file: Path, line: str) -> None:
    """Put a line at the beginning of a file, unless it is there."""
    text = file.read_text()
    if not text.startswith(line):
        file.write_text(line + text)


class MysqlInsider(SqlInsider):
    async def expire(self, token: str, seconds: int = -1) -> None:
        sql = "UPDATE tokens SET expires = UTC_TIMESTAMP(6) + INTERVAL $2 SECOND WHERE token = $1"
        await self._changed(sql, token, seconds)

    async def keep_token(self, token: str, sticker: int, mate: str) -> None:
        sql = """INSERT INTO tokens (token, sticker, mate, expires)
            VALUES ($1, $2, $3, UTC_TIMESTAMP(6) + INTERVAL 60 SECOND)"""
        await self._changed(sql, token, sticker, mate)

    async def age_session(self, session: str, seconds: float) -> None:
        sql = "UPDATE sessions SET seen = seen - INTERVAL $2 SECOND WHERE session = $1"
        await self._changed(sql, session, int(seconds))

    async def forget_votes(self) -> None:
        await self._connection.fetch("DELETE FROM votes")

    async def refused_urls(self, url: str) -> Dict[str, str]:
        """The private server's root has no password, but this user has one."""
        await self._connection.script("SET sql_notes = 0")
        await self._connection.script(
            "CREATE USER IF NOT EXISTS guarded@localhost IDENTIFIED BY 'right'"
        )
        as_user = url.replace("root@", "{}@")
        return {
            "wrong password": as_user.format("guarded:secret"),
            "unknown user": as_user.format("nobody:secret"),
            "unknown database": url.replace("/?", "/nowhere?"),
        }

    async def _changed(self, statement: str, *arguments: Any) -> None:
        """Run it; it must have changed one row."""
        await self._connection.fetch(statement, *arguments)
        assert (await self._connection.fetch("SELECT ROW_COUNT()"))[0][0] == 1


class SqliteInsider(SqlInsider):
    async def expire(self, token: str, seconds: int = -1) -> None:
        sql = "UPDATE tokens SET expires = strftime('%s', 'now') + $2 WHERE token = $1 RETURNING 1"
        assert await self._connection.fetch(sql, token, seconds)

    async def keep_token(self, token: str, sticker: int, mate: str) -> None:
        sql = """INSERT INTO tokens (token, sticker, mate, expires)
            VALUES ($1, $2, $3, strftime('%s', 'now') + 60)"""
        await self._connection.fetch(sql, token, sticker, mate)

    async def age_session(self, session: str, seconds: float) -> None:
        sql = "UPDATE sessions SET seen = seen - $2 WHERE session = $1 RETURNING 1"
        assert await self._connection.fetch(sql, session, int(seconds))

    async def forget_votes(self) -> None:
        await self._connection.fetch("DELETE FROM votes")

    async def refused_urls(self, url: str) -> Dict[str, str]:
        """A folder, a file that is no database, and a database with other tables."""
        path = Path(url.partition("://")[2])
        text, other = path.with_name("text"), path.with_name("other.db")
        text.write_text("This is no database. " * 100)
        connection = sqlite3.connect(str(other))
        connection.execute("CREATE TABLE IF NOT EXISTS mine (id)")
        connection.close()
        return {str(one): f"sqlite://{one}" for one in (path.parent, text, other)}
