"""The requests of pages to Valkey: one command each, or one function of ``functions.lua``."""

from __future__ import annotations

import json
from typing import Any, List, Sequence

from data_interface.article import ArticleData, Request, Row, Rows
from data_interface.reports.article import ArticleReports
from data_interface.reports.rows import Vote
from data_interface.store import (
    SESSION_SECONDS,
    SESSIONS_KEPT,
    TOKEN_SECONDS,
    TOKENS_KEPT,
    VOTES_KEPT,
    NotFound,
    Pack,
    Statistics,
    Sticker,
    Visitor,
)

KEY = "stickers:"
RANDOM_ROW = ("HRANDFIELD", KEY + "rows", 1, "WITHVALUES")
NEW_ID = ("ACL GENPASS", 128)


class ValkeyData(ArticleData, ArticleReports):
    """Answers a page on a client with a connection of its own."""

    def __init__(self, connection: Any) -> None:
        self._command = connection.execute_command

    async def _call(self, function: str, *arguments: Any) -> Any:
        return await self._command("FCALL", "stickers_change", 0, function, *arguments)

    async def _read(self, function: str, *arguments: Any) -> Any:
        return await self._command("FCALL_RO", "stickers_read", 0, function, *arguments)

    async def random_sticker(self) -> Rows:
        return [json.loads(one) for one in (await self._command(*RANDOM_ROW))[1:]]

    async def new_id(self) -> Rows:
        return [(await self._command(*NEW_ID),)]

    def keep_token(self, new: Row, sticker: int, mate: str) -> Request:
        return self._call("keep_token", new[0], sticker, mate, TOKEN_SECONDS, TOKENS_KEPT)

    def touch_session(self, session: str, visitor: Visitor) -> Request:
        _, *who = visitor
        return self._call("touch_session", session, *who, SESSION_SECONDS, SESSIONS_KEPT)

    def count_view(self) -> Request:
        request: Request = self._command("INCR", KEY + "views")
        return request

    async def ranked(self, limit: int, best: bool) -> Rows:
        return list(map(json.loads, await self._read("ranked", limit, int(best))))

    async def cast_vote(self, plus: str, minus: str, voter: int, moment: int) -> bool:
        return bool(await self._call("cast_vote", plus, minus, voter, moment, VOTES_KEPT))

    async def statistics(self) -> Statistics:
        return Statistics(*await self._read("statistics"))

    async def edits(self) -> int:
        return int(await self._command("GET", KEY + "edits") or 0)

    async def packs(self) -> List[Pack]:
        titles = await self._command("HGETALL", KEY + "packs")
        return sorted(Pack(int(number), title) for number, title in titles.items())

    async def pack(self, pack: int) -> Pack:
        title = await self._command("HGET", KEY + "packs", pack)
        if title is None:
            raise NotFound(f"There is no pack {pack}.")
        return Pack(pack, title)

    async def stickers(self, pack: int) -> List[Sticker]:
        return [Sticker(*json.loads(row)) for row in await self._read("stickers", pack)]

    async def sticker(self, pack: int, sticker: int) -> Sticker:
        row = await self._command("HGET", KEY + "rows", sticker)
        found = Sticker(*json.loads(row)) if row else None
        if found is None or found.pack != pack:
            raise NotFound(f"There is no sticker {sticker} in pack {pack}.")
        return found

    async def create_pack(self, title: str) -> Pack:
        return Pack(await self._call("create_pack", title), title)

    async def rename_pack(self, pack: int, title: str) -> Pack:
        await self._call("rename_pack", pack, title)
        return Pack(pack, title)

    async def delete_pack(self, pack: int) -> None:
        await self._call("delete_pack", pack)

    async def create_sticker(self, pack: int, title: str) -> Sticker:
        return Sticker(*json.loads(await self._call("create_sticker", pack, title)))

    async def rename_sticker(self, pack: int, sticker: int, title: str) -> Sticker:
        return Sticker(*json.loads(await self._call("rename_sticker", pack, sticker, title)))

    async def delete_sticker(self, pack: int, sticker: int) -> None:
        await self._call("delete_sticker", pack, sticker)

    def report(self, name: str, *arguments: Any) -> Request:
        if name == "titles":
            return self.packs()
        return self._read(name, json.dumps(arguments))

    async def remember(self, votes: Sequence[Vote]) -> int:
        if not votes:
            return 0
        past = ",".join(" ".join(map(str, vote)) for vote in votes)
        kept: int = await self._call("remember", past, VOTES_KEPT)
        return kept
