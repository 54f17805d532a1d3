"""What the site asks of a database: the rows, the errors, the protocol.

Nothing here knows SQL, Lua or a driver. A store module implements ``Store`` and ``Data`` for one
driver; the pages know only the names of this module.
"""

from __future__ import annotations

from typing import Any, AsyncContextManager, List, NamedTuple, Optional, Sequence, Tuple

from typing_extensions import Protocol

from data_interface.reports.rows import Reports

# A token or a session id: 128 bits from the database's CSPRNG as lower-case hex digits.
ID_LENGTH = 32

TOKEN_SECONDS = 600
TOKENS_KEPT = 200_000
SESSION_SECONDS = 86_400
SESSIONS_KEPT = 100_000
# A month of the reports, and a day more. The age of a vote is reckoned from the last that came.
VOTE_SECONDS = 31 * 86_400
VOTES_KEPT = 30_000
CLEAN_EVERY_SECONDS = 1.0

AGENT_LENGTH = 200
TITLE_LENGTH = 80


class Sticker(NamedTuple):
    """One sticker; ``rating`` is ``up - down``."""

    id: int
    pack: int
    title: str
    rating: int
    up: int
    down: int


class Pack(NamedTuple):
    """A pack of stickers."""

    id: int
    title: str


# What is made for one page and taken apart at once is a plain tuple: as instances of classes these
# cost each page a microsecond. A sticker in them is a row as the driver gave it, with the fields of
# ``Sticker`` in its order.

# Who asks for a page: the session id from the cookie, None for a new visitor; the peer's address;
# the header User-Agent, at most AGENT_LENGTH of it.
Visitor = Tuple[Optional[str], str, str]

# What Index shows: the session id to set or keep; a sticker and the single-use token that votes for
# or against it; another one, and its token.
Ballot = Tuple[str, Sequence[Any], str, Sequence[Any], str]

# What Good and Bad show: the session id to set or keep; the stickers, best (or worst) first.
Podium = Tuple[str, Sequence[Sequence[Any]]]


class Statistics(NamedTuple):
    """The site's counters since the database was made."""

    packs: int
    stickers: int
    visitors: int  # sessions: of Index, Good and Bad
    ballots: int  # pairs shown, by Index alone, so there can be fewer than visitors
    votes: int


class StoreError(Exception):
    """The database could not do what was asked. The text is one line a person can read."""


class Unavailable(StoreError):
    """The database does not answer, or its connection was lost."""


class Refused(StoreError):
    """The database does not take us: a URL that is none, a user, password or name it does not know.

    Names the variable that the URL came from, and no password.
    """


class Busy(StoreError):
    """No connection became free in time."""


class NotFound(StoreError):
    """What was asked for does not exist."""


class Conflict(StoreError):
    """The change contradicts what is stored: a title taken, a pack that is not empty."""


class Data(Reports, Protocol):
    """What one page may ask, in the site's words. No SQL and no driver errors leak out; a driver's
    rows only where a ``Ballot`` or a ``Podium`` says so.

    Every method may raise ``Unavailable`` or ``Busy``.
    """

    async def ballot(self, visitor: Visitor) -> Ballot:
        """Two different random stickers with a new token each; the visit and the view counted.

        In the article's layout 9 requests for a new visitor, 8 for a returning one.
        ``NotFound`` when there are fewer than two stickers.
        """

    async def podium(self, visitor: Visitor, limit: int, best: bool) -> Podium:
        """The ``limit`` best stickers by (rating, id) descending, or the worst ascending.

        In the article's layout 3 requests for a new visitor, 2 for a returning one.
        """

    async def cast_vote(self, plus: str, minus: str, voter: int, moment: int) -> bool:
        """Consume the two tokens of one ballot and count the vote; False when refused.

        Both tokens exist, belong to the same ballot and are not expired: ``plus`` gains one up,
        ``minus`` one down, the vote count grows by one, the history has the vote with its voter
        and moment (see ``reports.rows``), all at once and exactly once. Otherwise nothing changes.
        One request.
        """

    async def statistics(self) -> Statistics:
        """The counters for About."""

    async def packs(self) -> List[Pack]:
        """All packs by id."""

    async def pack(self, pack: int) -> Pack:
        """One pack, or ``NotFound``."""

    async def stickers(self, pack: int) -> List[Sticker]:
        """The stickers of a pack by id; empty when there are none."""

    async def sticker(self, pack: int, sticker: int) -> Sticker:
        """One sticker of a pack, or ``NotFound``."""

    async def create_pack(self, title: str) -> Pack:
        """A new pack under the next free id; ``Conflict`` when the title is taken."""

    async def rename_pack(self, pack: int, title: str) -> Pack:
        """The pack with its new title; ``NotFound``, ``Conflict`` when the title is taken."""

    async def delete_pack(self, pack: int) -> None:
        """Remove an empty pack; ``NotFound``, ``Conflict`` while it has stickers."""

    async def create_sticker(self, pack: int, title: str) -> Sticker:
        """A new sticker under the next free id, rating 0; ``NotFound`` when there is no pack."""

    async def rename_sticker(self, pack: int, sticker: int, title: str) -> Sticker:
        """The sticker with its new title; ``NotFound``."""

    async def delete_sticker(self, pack: int, sticker: int) -> None:
        """Remove a sticker; ``NotFound``. Its open tokens lose their use."""


class Store(Protocol):
    """A database as the site sees it. Opened once per server process."""

    async def open(self) -> None:
        """Connect, make the schema and load the stickers where they are missing.

        Raises ``StoreError`` with one line that says what to do when that fails. It is open all the
        same, and to be closed: where the database is only away, it works as soon as that is back.
        """

    def acquire(self) -> AsyncContextManager[Data]:
        """A unit of work, in the connection mode the store was made with.

        Entering raises ``Busy`` when no connection is free in time, ``Unavailable`` when the
        database cannot be reached; leaving translates what the driver raised.
        """

    async def close(self) -> None:
        """End every connection; bounded."""
