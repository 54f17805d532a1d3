"""The reports: their rows, their units of time, and their interface.

A moment is a whole number of seconds since 1970 by the site's clock (``runtime.clock``). Days and
hours are divisions of it (UTC), the same in every database. A span is half open: ``since <= moment
< till``.
"""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from typing_extensions import Protocol

MINUTE, HOUR, DAY, WEEK = 60, 3_600, 86_400, 7 * 86_400
TEN_MINUTES = 10 * MINUTE
# The days of a month in the reports; today is the last of them.
DAYS = 30
# How many rows of each kind of list are shown.
LISTED, PACKS_LISTED, NEWEST_LISTED = 5, 10, 20
# The widths of bins of ratings, and of bins of the votes for and against a sticker.
RATING_BIN, ATTENTION_BIN = 5, 10
# A sticker is contested if its rating is at most so much above or below 0.
EVEN = 2

NOBODY = 0
_VOTER_DIGITS = 11


class Vote(NamedTuple):
    """A vote in the history; ``voter`` is what ``voter_of`` returns for its session."""

    moment: int
    winner: int
    loser: int
    voter: int


class VoteCounts(NamedTuple):
    """The number of votes of a span, and of the different known voters who cast them."""

    votes: int
    voters: int


class Winner(NamedTuple):
    """A sticker, and the number of duels that it won."""

    id: int
    title: str
    wins: int


class Duel(NamedTuple):
    """A vote, with the present titles of its stickers."""

    moment: int
    winner: int
    winner_title: str
    loser: int
    loser_title: str


class RatingSpread(NamedTuple):
    """The ratings of all stickers: their number, lowest, quartiles and highest; 0 without stickers.

    A quartile is the lowest rating that at least so many quarters of all stickers do not exceed.
    """

    stickers: int
    lowest: int
    lower: int
    median: int
    upper: int
    highest: int


class Contested(NamedTuple):
    """A sticker with about as many votes for it as against it."""

    id: int
    title: str
    up: int
    down: int


class Mover(NamedTuple):
    """A sticker, and the gain of its rating in a month."""

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
    """A pack: duels won and lost in a month; gains of this week, the week before, and each day."""

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
    """The votes and voters of one hour of the day, over all days."""

    votes: int
    voters: int


class VoterDay(NamedTuple):
    """The voters of a day, and of these the number who had not voted before in the month."""

    voters: int
    new: int


Bins = List[Tuple[int, int]]
"""Pairs of a value, or of the number of a bin, and how often it occurs; sorted."""


class Today(NamedTuple):
    """Figures of today, and of yesterday until the same time; votes by hour of both days."""

    so_far: VoteCounts
    before: VoteCounts
    hours: List[int]
    hours_before: List[int]
    winners: List[Winner]


class Newest(NamedTuple):
    """The last votes; figures of ten minutes, an hour and a day; the hour's votes by minute."""

    duels: List[Duel]
    ten_minutes: VoteCounts
    hour: VoteCounts
    day: VoteCounts
    minutes: List[int]


class Ratings(NamedTuple):
    """Stickers by rating and by number of votes; the most contested; the movers of a month."""

    bins: Bins
    spread: RatingSpread
    attention: Bins
    contested: List[Contested]
    rising: List[Mover]
    falling: List[Mover]


class PackRanking(NamedTuple):
    """The packs that gained most in a month; those that gain faster than before; votes by day."""

    packs: List[Trend]
    climbers: List[Climber]
    days: List[int]


class Voters(NamedTuple):
    """Votes and voters by hour of the day, by hour of the week (Monday first) and by day.

    ``returns`` are voters by the number of days on which they voted, ``votes_each`` by the
    number of their votes.
    """

    month: VoteCounts
    week: VoteCounts
    hours: List[HourOfDay]
    week_hours: List[int]
    returns: Bins
    votes_each: Bins
    days: List[VoterDay]


Report = Union[Today, Newest, Ratings, PackRanking, Voters]


class Reports(Protocol):
    """The reports of a store. ``now`` is the moment from which they look back.

    Each is made of several requests, between which others may vote. None changes anything.
    """

    async def today(self, now: int) -> Today:
        """Return it after five requests in the article's layout."""

    async def newest(self, now: int) -> Newest:
        """Return it after five requests in the article's layout."""

    async def ratings(self, now: int) -> Ratings:
        """Return it after six requests in the article's layout."""

    async def ranking(self, now: int) -> PackRanking:
        """Return it after seven requests in the article's layout."""

    async def voters(self, now: int) -> Voters:
        """Return it after seven requests in the article's layout."""

    async def remember(self, votes: Sequence[Vote]) -> int:
        """Keep votes of one past day in this order, unless that day has votes; return how many.

        They go into the history alone: no rating and no counter changes.
        """


def midnight(now: int) -> int:
    """Return the moment when the day of that moment began."""
    return now - now % DAY


def month(now: int) -> Tuple[int, int]:
    """Return the span of the reports' month: the days before today, and today until now."""
    return midnight(now) - (DAYS - 1) * DAY, now + 1


def voter_of(session: Optional[str]) -> int:
    """Return the number that stands for a session in the history; NOBODY for no session.

    Whoever knows a session's id can use the session, so the history does not keep it. 44 of its
    bits distinguish voters, and fit into a plain number of Lua.
    """
    return int(session[:_VOTER_DIGITS], 16) if session else NOBODY


def by_key(rows: Sequence[Sequence[int]]) -> Dict[int, int]:
    """Return rows of (key, value) as a dictionary."""
    return {row[0]: row[1] for row in rows}
