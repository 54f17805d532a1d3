"""The store in memory: the reference for every other store, in plain Python.

A race on it shows what the web side costs without a database. The data ends with the process. No
method awaits anything, so every method is atomic in an event loop. In threads, a lock is held for
the length of a unit of work.
"""

from __future__ import annotations

import random
import secrets
import threading
import time
from bisect import bisect_left, insort
from collections import OrderedDict
from types import TracebackType
from typing import Dict, List, NamedTuple, Optional, Set, Tuple, Type

from data_interface.reports.memory import MemoryReports
from data_interface.reports.rows import Vote
from data_interface.stickers import catalogue
from data_interface.store import (
    ID_LENGTH,
    SESSION_SECONDS,
    SESSIONS_KEPT,
    TOKEN_SECONDS,
    TOKENS_KEPT,
    Ballot,
    Conflict,
    NotFound,
    Pack,
    Podium,
    Statistics,
    Sticker,
    Visitor,
)


class Token(NamedTuple):
    """The right to vote on one sticker, with its mate's; ``deadline`` is by ``time.monotonic``."""

    sticker: int
    mate: str
    deadline: float


class Session(NamedTuple):
    """One visitor; ``seen`` is by ``time.monotonic``."""

    visits: int
    address: str
    agent: str
    seen: float


def new_id() -> str:
    """Return 128 bits from the operating system's CSPRNG as 32 lower-case hex digits."""
    return secrets.token_hex(ID_LENGTH // 2)


class MemoryStore(MemoryReports):
    """A store whose units of work, and what pages may ask, are the store itself."""

    def __init__(self) -> None:
        super().__init__()
        # Reentrant, so that the tasks of one event loop never wait for each other.
        self._lock = threading.RLock()
        self._packs: Dict[int, Pack] = {}
        self._stickers: Dict[int, Sticker] = {}
        self._members: Dict[int, Set[int]] = {}
        self._titles: Set[str] = set()
        self._ids: List[int] = []
        self._ranking: List[Tuple[int, int]] = []
        # Ordered by age: the next to expire comes first.
        self._tokens: OrderedDict[str, Token] = OrderedDict()
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._sessions_expired = 0
        self._views = 0
        self._votes = 0
        self._edits = 0

    async def open(self) -> None:
        self.load(*catalogue())

    def load(self, packs: List[Pack], stickers: List[Sticker]) -> None:
        """Load these packs and stickers into an empty store."""
        for pack in packs:
            self._packs[pack.id] = pack
            self._members[pack.id] = set()
            self._titles.add(pack.title)
        for sticker in stickers:
            self._stickers[sticker.id] = sticker
            self._members[sticker.pack].add(sticker.id)
        self._ids = sorted(self._stickers)
        self._ranking = sorted((sticker.rating, sticker.id) for sticker in stickers)
        self._next_pack = max(self._packs, default=0) + 1
        self._next_sticker = max(self._stickers, default=0) + 1

    def acquire(self) -> MemoryStore:
        return self

    async def __aenter__(self) -> MemoryStore:
        self._lock.acquire()
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self._lock.release()

    async def close(self) -> None:
        """Do nothing: there are no connections."""

    async def ballot(self, visitor: Visitor) -> Ballot:
        if len(self._ids) < 2:
            raise NotFound("There are no two different stickers to choose between.")
        left, right = random.sample(self._ids, 2)
        plus, minus = new_id(), new_id()
        self._keep_token(plus, left, minus)
        self._keep_token(minus, right, plus)
        self._views += 1
        session = self._touch_session(visitor)
        return session, self._stickers[left], plus, self._stickers[right], minus

    async def podium(self, visitor: Visitor, limit: int, best: bool) -> Podium:
        ranked = self._ranking[: -limit - 1 : -1] if best else self._ranking[:limit]
        return self._touch_session(visitor), [self._stickers[key] for _, key in ranked]

    def _keep_token(self, token: str, sticker: int, mate: str) -> None:
        now = time.monotonic()
        tokens = self._tokens
        tokens[token] = Token(sticker, mate, now + TOKEN_SECONDS)
        while len(tokens) > TOKENS_KEPT or next(iter(tokens.values())).deadline <= now:
            tokens.popitem(last=False)

    def _touch_session(self, visitor: Visitor) -> str:
        now = time.monotonic()
        sessions = self._sessions
        known, address, agent = visitor
        session = known or new_id()
        before = sessions.pop(session, None)
        visits = before.visits + 1 if before else 1
        sessions[session] = Session(visits, address, agent, now)
        while len(sessions) > SESSIONS_KEPT or next(iter(sessions.values())).seen <= (
            now - SESSION_SECONDS
        ):
            sessions.popitem(last=False)
            self._sessions_expired += 1
        return session

    async def cast_vote(self, plus: str, minus: str, voter: int, moment: int) -> bool:
        up, down = self._tokens.get(plus), self._tokens.get(minus)
        if up is None or down is None or up.mate != minus or down.mate != plus:
            return False
        if min(up.deadline, down.deadline) <= time.monotonic():
            return False
        winner, loser = self._stickers.get(up.sticker), self._stickers.get(down.sticker)
        if winner is None or loser is None or winner is loser:
            return False
        del self._tokens[plus], self._tokens[minus]
        self._replace(winner._replace(rating=winner.rating + 1, up=winner.up + 1))
        self._replace(loser._replace(rating=loser.rating - 1, down=loser.down + 1))
        self._history.add(Vote(moment, winner.id, loser.id, voter))
        self._votes += 1
        return True

    def _replace(self, sticker: Sticker) -> None:
        self._unrank(self._stickers[sticker.id])
        self._stickers[sticker.id] = sticker
        insort(self._ranking, (sticker.rating, sticker.id))

    def _unrank(self, sticker: Sticker) -> None:
        del self._ranking[bisect_left(self._ranking, (sticker.rating, sticker.id))]

    async def statistics(self) -> Statistics:
        visitors = len(self._sessions) + self._sessions_expired
        return Statistics(len(self._packs), len(self._stickers), visitors, self._views, self._votes)

    async def edits(self) -> int:
        return self._edits

    async def packs(self) -> List[Pack]:
        return list(self._packs.values())

    async def pack(self, pack: int) -> Pack:
        if pack not in self._packs:
            raise NotFound(f"There is no pack {pack}.")
        return self._packs[pack]

    async def stickers(self, pack: int) -> List[Sticker]:
        return [self._stickers[key] for key in sorted(self._members.get(pack, ()))]

    async def sticker(self, pack: int, sticker: int) -> Sticker:
        if sticker not in self._members.get(pack, ()):
            raise NotFound(f"There is no sticker {sticker} in pack {pack}.")
        return self._stickers[sticker]

    async def create_pack(self, title: str) -> Pack:
        self._claim(title)
        pack = Pack(self._next_pack, title)
        self._next_pack += 1
        self._packs[pack.id] = pack
        self._members[pack.id] = set()
        return pack

    async def rename_pack(self, pack: int, title: str) -> Pack:
        known = await self.pack(pack)
        if known.title != title:
            self._claim(title)
            self._titles.remove(known.title)
        self._packs[pack] = Pack(pack, title)
        return self._packs[pack]

    def _claim(self, title: str) -> None:
        if title in self._titles:
            raise Conflict("Another pack has that title.")
        self._titles.add(title)

    async def delete_pack(self, pack: int) -> None:
        known = await self.pack(pack)
        if self._members[pack]:
            raise Conflict(f"Pack {pack} still has stickers.")
        del self._packs[pack], self._members[pack]
        self._titles.remove(known.title)

    async def create_sticker(self, pack: int, title: str) -> Sticker:
        await self.pack(pack)
        sticker = Sticker(self._next_sticker, pack, title, 0, 0, 0)
        self._next_sticker += 1
        self._stickers[sticker.id] = sticker
        self._members[pack].add(sticker.id)
        self._ids.append(sticker.id)
        insort(self._ranking, (0, sticker.id))
        return sticker

    async def rename_sticker(self, pack: int, sticker: int, title: str) -> Sticker:
        known = await self.sticker(pack, sticker)
        self._stickers[sticker] = known._replace(title=title)
        self._edits += 1
        return self._stickers[sticker]

    async def delete_sticker(self, pack: int, sticker: int) -> None:
        known = await self.sticker(pack, sticker)
        self._unrank(known)
        del self._stickers[sticker]
        self._members[pack].remove(sticker)
        del self._ids[bisect_left(self._ids, sticker)]


def open_store(connection: str, url: str, size: int) -> MemoryStore:
    """Return the store; it has one mode, no address and no pool."""
    return MemoryStore()
