"""The site's interface to a database: its rows, its errors and its requests.

A store module implements ``Store`` and ``Data`` for one driver. The pages know only the names of
this module, which has nothing of SQL, Lua or a driver in it.
"""

from __future__ import annotations

from typing import Any, AsyncContextManager, List, NamedTuple, Optional, Sequence, Tuple

from typing_extensions import Protocol

from data_interface.reports.rows import Reports

# A token or a session id: 128 bits from the database's CSPRNG as lower-case hex digits.
ID_LENGTH = 32

TOKEN_SECONDS = 600
TOKENS_KEPT = 200_000
# A session has a time of the future if the database's clock was ahead and was set back. It would
# outlive all that come now, so it counts as seen now. Less than a minute ahead is let be.
SESSION_SECONDS = 86_400
SESSIONS_KEPT = 100_000
# Enough for two months of reports. Votes are limited by number, not age: the site's clock may be
# wrong, and a wrong moment would erase them. The first that came go first.
VOTES_KEPT = 30_000
CLEAN_EVERY_SECONDS = 1.0

# In bytes of UTF-8: Tarantool counts on it (tarantool/expiry.lua).
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


# Values that one page makes and takes apart at once are plain tuples: instances of classes would
# cost each page a microsecond. A sticker in them is a driver's row, with the fields of ``Sticker``.

# A visitor: the session id of the cookie, None for a new visitor; the peer's address; the header
# User-Agent, cut to AGENT_LENGTH.
Visitor = Tuple[Optional[str], str, str]

# The content of Index: the session id to set or keep; a sticker with the single-use token that
# votes for or against it; another sticker with its token.
Ballot = Tuple[str, Sequence[Any], str, Sequence[Any], str]

# The content of Good and Bad: the session id to set or keep; the stickers, best (or worst) first.
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
    """The database does not answer, or the connection to it was lost."""


class Refused(StoreError):
    """The database does not accept the URL: it is malformed, or has a wrong user, password or name.

    The text names the variable with the URL, and contains no password.
    """


class Busy(StoreError):
    """No connection became free in time."""


class NotFound(StoreError):
    """The requested pack, sticker or ballot does not exist."""


class Conflict(StoreError):
    """The change contradicts what is stored: a title taken, a pack that is not empty."""


class Data(Reports, Protocol):
    """The requests of one page. Every method may raise ``Unavailable`` or ``Busy``.

    No SQL, and no error of a driver, is visible to the page. A driver's rows are visible in a
    ``Ballot`` and a ``Podium`` alone.
    """

    async def ballot(self, visitor: Visitor) -> Ballot:
        """Return two different random stickers with a new token each; count the visit and the view.

        In the article's layout 9 requests for a new visitor, 8 for a returning one.
        Raises ``NotFound`` if there are fewer than two stickers.
        """

    async def podium(self, visitor: Visitor, limit: int, best: bool) -> Podium:
        """Return the ``limit`` best stickers by (rating, id) descending, or the worst ascending.

        In the article's layout 3 requests for a new visitor, 2 for a returning one.
        """

    async def cast_vote(self, plus: str, minus: str, voter: int, moment: int) -> bool:
        """Consume the two tokens of one ballot and count the vote; return False if refused.

        If both tokens exist, belong to the same ballot and have not expired, then ``plus`` gains
        one up, ``minus`` one down, the vote count grows by one, and the history gets the vote with
        its voter and moment (``reports.rows``), all at once and exactly once. Otherwise nothing
        changes. It takes one request.
        """

    async def statistics(self) -> Statistics:
        """Return the counters for About."""

    async def edits(self) -> int:
        """Return how often a sticker was renamed since the database was made."""

    async def packs(self) -> List[Pack]:
        """Return all packs by id."""

    async def pack(self, pack: int) -> Pack:
        """Return one pack. Raise ``NotFound``."""

    async def stickers(self, pack: int) -> List[Sticker]:
        """Return the stickers of a pack by id, an empty list if there are none."""

    async def sticker(self, pack: int, sticker: int) -> Sticker:
        """Return one sticker of a pack. Raise ``NotFound``."""

    async def create_pack(self, title: str) -> Pack:
        """Create a pack under the next free id. Raise ``Conflict`` if the title is taken."""

    async def rename_pack(self, pack: int, title: str) -> Pack:
        """Return the renamed pack. Raise ``NotFound``, or ``Conflict`` if the title is taken."""

    async def delete_pack(self, pack: int) -> None:
        """Delete an empty pack. Raise ``NotFound``, or ``Conflict`` if it has stickers."""

    async def create_sticker(self, pack: int, title: str) -> Sticker:
        """Create a sticker with rating 0 under the next free id. Raise ``NotFound``."""

    async def rename_sticker(self, pack: int, sticker: int, title: str) -> Sticker:
        """Return the renamed sticker, and count it in ``edits``. Raise ``NotFound``."""

    async def delete_sticker(self, pack: int, sticker: int) -> None:
        """Delete a sticker; votes with its tokens are refused. Raise ``NotFound``."""


class Store(Protocol):
    """A database as the site sees it, opened once for each server process."""

    async def open(self) -> None:
        """Connect; make the schema and load the stickers if they are missing.

        Raises ``StoreError`` with one line that says what to do if that fails. The store is open
        even then, and must be closed: it serves pages as soon as the database is back.
        """

    def acquire(self) -> AsyncContextManager[Data]:
        """Return a unit of work, in the connection mode of the store.

        Entering it raises ``Busy`` if no connection is free in time, ``Unavailable`` if the
        database cannot be reached. Leaving it translates errors of the driver.
        """

    async def close(self) -> None:
        """End every connection within a short time."""
