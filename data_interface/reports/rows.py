"""What the reports ask of a store: rows, times, the protocol.

A moment is a whole number of seconds since 1970 by the site's clock (``runtime.clock``); days and
hours are divisions of it (UTC), the same in every database. A span is half open: ``since <= moment
< till``. Nothing here knows SQL, Lua or a driver.
"""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from typing_extensions import Protocol

MINUTE, HOUR, DAY, WEEK = 60, 3_600, 86_400, 7 * 86_400
TEN_MINUTES = 10 * MINUTE
# A month of the reports: so many days, of which today is the last.
DAYS = 30
# How much of an order is shown.
LISTED, PACKS_LISTED, NEWEST_LISTED = 5, 10, 20
# Widths of bins: of ratings, and of the votes for and against a sticker.
RATING_BIN, ATTENTION_BIN = 5, 10
# A sticker whose rating is no further from 0 divides its voters.
EVEN = 2

NOBODY = 0
_VOTER_DIGITS = 11


class Vote(NamedTuple):
    """A vote as the history has it; ``voter`` is ``voter_of`` a session."""

    moment: int
    winner: int
    loser: int
    voter: int


class Figures(NamedTuple):
    """Votes of a span, and how many different known voters cast them."""

    votes: int
    voters: int


class Winner(NamedTuple):
    """A sticker that was preferred so often."""

    id: int
    title: str
    wins: int


class Duel(NamedTuple):
    """A vote with the stickers as they are called now."""

    moment: int
    winner: int
    winner_title: str
    loser: int
    loser_title: str


class Spread(NamedTuple):
    """The ratings of all stickers: how many, least, quartiles, most. All 0 where there are none.

    A quartile is the least rating that at least so many quarters of all stickers do not exceed.
    """

    stickers: int
    lowest: int
    lower: int
    median: int
    upper: int
    highest: int


class Contested(NamedTuple):
    """A sticker that as many like as do not."""

    id: int
    title: str
    up: int
    down: int


class Mover(NamedTuple):
    """A sticker, and what its rating gained in a month."""

    id: int
    title: str
    rating: int
    gained: int


class Leader(NamedTuple):
    """The best sticker of a pack."""

    id: int
    title: str
    rating: int


class Trend(NamedTuple):
    """A pack: duels won and lost in a month; gained this week, the week before, each day."""

    id: int
    title: str
    won: int
    lost: int
    week: int
    before: int
    days: List[int]
    leader: Optional[Leader]


class Climber(NamedTuple):
    """A pack that gained more this week than the week before."""

    id: int
    title: str
    week: int
    before: int


class HourOfDay(NamedTuple):
    """What was cast in one hour of all days."""

    votes: int
    voters: int


class VoterDay(NamedTuple):
    """Voters of a day, and those of them who had not voted before in the month."""

    voters: int
    new: int


Bins = List[Tuple[int, int]]
"""How many there are, by the value or by the number of the bin, in order."""


class Today(NamedTuple):
    """The day so far, beside yesterday until the same time; votes by hour of both days."""

    so_far: Figures
    before: Figures
    hours: List[int]
    hours_before: List[int]
    winners: List[Winner]


class Newest(NamedTuple):
    """The last votes; those of ten minutes, an hour, a day; those of the last hour by minute."""

    duels: List[Duel]
    ten_minutes: Figures
    hour: Figures
    day: Figures
    minutes: List[int]


class Ratings(NamedTuple):
    """Stickers by rating and by number of votes; the most divisive; a month's movers."""

    bins: Bins
    spread: Spread
    attention: Bins
    contested: List[Contested]
    rising: List[Mover]
    falling: List[Mover]


class Ranking(NamedTuple):
    """The packs that gained most in a month; those that climb; votes by day."""

    packs: List[Trend]
    climbers: List[Climber]
    days: List[int]


class Voters(NamedTuple):
    """Votes and voters by hour of the day, by hour of the week (Monday first) and by day; voters by
    the days on which they voted, and by their number of votes."""

    month: Figures
    week: Figures
    hours: List[HourOfDay]
    week_hours: List[int]
    returns: Bins
    votes_each: Bins
    days: List[VoterDay]


Report = Union[Today, Newest, Ratings, Ranking, Voters]


class Reports(Protocol):
    """The part of ``store.Data`` that reports. ``now`` is the moment that they look back from.

    They change nothing. Each is made of several requests, between which others may vote.
    """

    async def today(self, now: int) -> Today:
        """Five requests in the article's layout."""

    async def newest(self, now: int) -> Newest:
        """Five requests in the article's layout."""

    async def ratings(self, now: int) -> Ratings:
        """Six requests in the article's layout."""

    async def ranking(self, now: int) -> Ranking:
        """Seven requests in the article's layout."""

    async def voters(self, now: int) -> Voters:
        """Seven requests in the article's layout."""

    async def remember(self, votes: Sequence[Vote]) -> int:
        """Keep votes of one day of the past in this order, unless that day has some; how many.

        They are history alone: no rating and no count changes.
        """


def midnight(now: int) -> int:
    """When the day of that moment began."""
    return now - now % DAY


def month(now: int) -> Tuple[int, int]:
    """The span of the reports' month: today so far, and the days before it."""
    return midnight(now) - (DAYS - 1) * DAY, now + 1


def voter_of(session: Optional[str]) -> int:
    """The number that stands for a session in the history; NOBODY for none.

    A session's id is what its cookie is believed for, so it is not kept for a month. 44 bits of it
    tell voters apart, and Lua has them as a plain number.
    """
    return int(session[:_VOTER_DIGITS], 16) if session else NOBODY


def by_key(rows: Sequence[Sequence[int]]) -> Dict[int, int]:
    """Rows of a key and a value."""
    return {row[0]: row[1] for row in rows}
