"""The requests of the reports, one for each thing that a database is asked."""

from __future__ import annotations

from typing import Sequence

from data_interface.article import Request


class ReportRequests:
    """What a database is asked. Each sends one request and returns an awaitable of its rows.

    Without an order rows come in any. ``since`` and ``till`` are a span, ``slot`` is a number from
    0. What became of a sticker that is gone is in the sums of votes, but in no list and no pack.
    """

    def figures(self, since: int, till: int) -> Request:
        """One row: (votes, known voters)."""
        raise NotImplementedError

    def per_slot(self, since: int, till: int, seconds: int) -> Request:
        """(slot of so many seconds of the span, votes)."""
        raise NotImplementedError

    def winners(self, since: int, till: int, limit: int) -> Request:
        """(id, title, wins) of those preferred most often, then by id."""
        raise NotImplementedError

    def latest(self, till: int, limit: int) -> Request:
        """(moment, winner, its title, loser, its title), the latest first, then the last come."""
        raise NotImplementedError

    def rating_bins(self, width: int) -> Request:
        """(rating / width rounded down, stickers)."""
        raise NotImplementedError

    def attention_bins(self, width: int) -> Request:
        """(votes for and against / width rounded down, stickers)."""
        raise NotImplementedError

    def spread(self) -> Request:
        """One row: a ``Spread``."""
        raise NotImplementedError

    def contested(self, most: int, limit: int) -> Request:
        """(id, title, up, down) of those rated at most so far from 0, most votes first, then id."""
        raise NotImplementedError

    def movers(self, since: int, till: int, limit: int, rising: bool) -> Request:
        """(id, title, rating, gained) of those that gained most, or lost most, then by id."""
        raise NotImplementedError

    def pack_gains(self, since: int, till: int, limit: int) -> Request:
        """(pack, won, lost) of the packs that gained most, then by id."""
        raise NotImplementedError

    def pack_changes(self, since: int, till: int) -> Request:
        """(pack, gained) of every pack that votes were about."""
        raise NotImplementedError

    def pack_days(self, since: int, till: int, packs: Sequence[int]) -> Request:
        """(pack, day of the span, gained) of these packs."""
        raise NotImplementedError

    def pack_leaders(self, packs: Sequence[int]) -> Request:
        """(pack, id, title, rating) of the best sticker of each, of equal ones the first."""
        raise NotImplementedError

    def titles(self) -> Request:
        """(id, title) of every pack."""
        raise NotImplementedError

    def hours(self, since: int, till: int) -> Request:
        """(hour of the day, votes, known voters)."""
        raise NotImplementedError

    def week_hours(self, since: int, till: int) -> Request:
        """(hour of the week, Monday 0:00 is 0; votes)."""
        raise NotImplementedError

    def returns(self, since: int, till: int) -> Request:
        """(days of the span, known voters who voted on so many)."""
        raise NotImplementedError

    def votes_each(self, since: int, till: int) -> Request:
        """(votes, known voters who cast so many)."""
        raise NotImplementedError

    def voter_days(self, since: int, till: int) -> Request:
        """(day of the span, known voters, those of them on their first day in it)."""
        raise NotImplementedError
