"""The reports in the article's layout: four to ten single requests for each.

The database does the sums: a month of votes on the wire would measure their transfer.
"""

from __future__ import annotations

from typing import Any, List, Sequence

from data_interface.article import Request, Rows, replies
from data_interface.reports.rows import (
    ATTENTION_BIN,
    DAY,
    DAYS,
    EVEN,
    HOUR,
    LISTED,
    MINUTE,
    NEWEST_LISTED,
    PACKS_LISTED,
    RATING_BIN,
    TEN_MINUTES,
    WEEK,
    Bins,
    Climber,
    Contested,
    Duel,
    HourOfDay,
    Leader,
    Mover,
    Newest,
    PackRanking,
    Ratings,
    RatingSpread,
    Today,
    Trend,
    VoteCounts,
    VoterDay,
    Voters,
    Winner,
    by_key,
    midnight,
    month,
)


class ArticleReports:
    """Makes the reports of single requests, which a database answers by their names.

    ``since`` and ``till`` are a half-open span, a slot is a number from 0. Rows come in any order
    unless one is given. A sticker that was deleted is in the sums of votes, but in no list and in
    no pack. These are the requests, with their arguments and rows:

    figures (since, till): one row of (votes, known voters)
    per_slot (since, till, seconds): (slot of so many seconds of the span, votes)
    winners (since, till, limit): (id, title, wins), most wins first, then by id
    latest (till, limit): (moment, winner, its title, loser, its title), the latest first
    rating_bins (width): (rating / width rounded down, stickers)
    attention_bins (width): (votes for and against / width rounded down, stickers)
    spread (): one row, a ``RatingSpread``
    contested (most, limit): (id, title, up, down) with a rating of at most so much above or below
        0, most votes first, then by id
    rising, falling (since, till, limit): (id, title, rating, gained), the largest gain or loss
        first, then by id
    pack_gains (since, till, limit): (pack, won, lost), the largest gain first, then by id
    pack_changes (since, till): (pack, gained) of every pack with votes
    pack_days (since, till, packs): (pack, day of the span, gained) of these packs
    pack_leaders (packs): (pack, id, title, rating) of the best sticker of each, then by id
    titles (): (id, title) of every pack
    hours (since, till): (hour of the day, votes, known voters)
    week_hours (since, till): (hour of the week from Monday 0:00, votes)
    returns (since, till): (days of the span, known voters who voted on so many)
    votes_each (since, till): (votes, known voters who cast so many)
    voter_days (since, till): (day of the span, known voters, those on their first day in it)
    """

    def report(self, name: str, *arguments: Any) -> Request:
        """Send the request of that name; return an awaitable of its rows."""
        raise NotImplementedError

    async def today(self, now: int) -> Today:
        start, till = midnight(now), now + 1
        so_far, before, hours, hours_before, winners = await replies(
            self.report("figures", start, till),
            self.report("figures", start - DAY, till - DAY),
            self.report("per_slot", start, till, HOUR),
            self.report("per_slot", start - DAY, start, HOUR),
            self.report("winners", start, till, LISTED),
        )
        return Today(
            VoteCounts(*so_far[0]),
            VoteCounts(*before[0]),
            slots(hours, DAY // HOUR),
            slots(hours_before, DAY // HOUR),
            [Winner(*row) for row in winners],
        )

    async def newest(self, now: int) -> Newest:
        till = now + 1
        latest, ten_minutes, hour, day, minutes = await replies(
            self.report("latest", till, NEWEST_LISTED),
            self.report("figures", till - TEN_MINUTES, till),
            self.report("figures", till - HOUR, till),
            self.report("figures", till - DAY, till),
            self.report("per_slot", till - HOUR, till, MINUTE),
        )
        return Newest(
            [Duel(*row) for row in latest],
            VoteCounts(*ten_minutes[0]),
            VoteCounts(*hour[0]),
            VoteCounts(*day[0]),
            slots(minutes, HOUR // MINUTE),
        )

    async def ratings(self, now: int) -> Ratings:
        since, till = month(now)
        bins, spread, attention, contested, rising, falling = await replies(
            self.report("rating_bins", RATING_BIN),
            self.report("spread"),
            self.report("attention_bins", ATTENTION_BIN),
            self.report("contested", EVEN, LISTED),
            self.report("rising", since, till, LISTED),
            self.report("falling", since, till, LISTED),
        )
        return Ratings(
            in_order(bins),
            RatingSpread(*spread[0]),
            in_order(attention),
            [Contested(*row) for row in contested],
            [Mover(*row) for row in rising],
            [Mover(*row) for row in falling],
        )

    async def ranking(self, now: int) -> PackRanking:
        since, till = month(now)
        gains, week, before, votes, titles = await replies(
            self.report("pack_gains", since, till, PACKS_LISTED),
            self.report("pack_changes", till - WEEK, till),
            self.report("pack_changes", till - 2 * WEEK, till - WEEK),
            self.report("per_slot", since, till, DAY),
            self.report("titles"),
        )
        # The last two requests are about the packs that the first one found.
        shown = [row[0] for row in gains]
        days, leaders = await replies(
            self.report("pack_days", since, till, shown), self.report("pack_leaders", shown)
        )
        changes = Changes(titles, week, before)
        return PackRanking(
            [changes.trend(row, days, leaders) for row in gains if row[0] in changes.titles],
            changes.climbers(),
            slots(votes, DAYS),
        )

    async def voters(self, now: int) -> Voters:
        since, till = month(now)
        all_month, week, hours, week_hours, returns, votes_each, days = await replies(
            self.report("figures", since, till),
            self.report("figures", till - WEEK, till),
            self.report("hours", since, till),
            self.report("week_hours", since, till),
            self.report("returns", since, till),
            self.report("votes_each", since, till),
            self.report("voter_days", since, till),
        )
        return Voters(
            VoteCounts(*all_month[0]),
            VoteCounts(*week[0]),
            [HourOfDay(*pair) for pair in pairs(hours, DAY // HOUR)],
            slots(week_hours, WEEK // HOUR),
            in_order(returns),
            in_order(votes_each),
            [VoterDay(*pair) for pair in pairs(days, DAYS)],
        )


class Changes:
    """The gains of packs this week and the week before."""

    def __init__(self, titles: Rows, week: Rows, before: Rows) -> None:
        self.titles = {row[0]: row[1] for row in titles}
        self._week = by_key(week)
        self._before = by_key(before)

    def trend(self, gains: Sequence[int], days: Rows, leaders: Rows) -> Trend:
        """Return the trend of a row of ``pack_gains``."""
        pack, won, lost = gains
        best = [Leader(*row[1:]) for row in leaders if row[0] == pack]
        return Trend(
            pack,
            self.titles[pack],
            won,
            lost,
            self._week.get(pack, 0),
            self._before.get(pack, 0),
            slots([row[1:] for row in days if row[0] == pack], DAYS),
            best[0] if best else None,
        )

    def climbers(self) -> List[Climber]:
        """Return the packs that gained most on the week before, then by id."""
        found = [
            Climber(pack, title, self._week.get(pack, 0), self._before.get(pack, 0))
            for pack, title in self.titles.items()
        ]
        climbing = [one for one in found if one.week > one.before]
        return sorted(climbing, key=lambda one: (one.before - one.week, one.id))[:LISTED]


def slots(rows: Rows, number: int) -> List[int]:
    """Return the value of each slot from rows of (slot, value); 0 if there is no row."""
    found = by_key(rows)
    return [found.get(slot, 0) for slot in range(number)]


def pairs(rows: Rows, number: int) -> List[Sequence[int]]:
    """Return the two values of each slot from rows of (slot, value, value); 0 without a row."""
    found = {row[0]: row[1:] for row in rows}
    return [found.get(slot, (0, 0)) for slot in range(number)]


def in_order(rows: Rows) -> Bins:
    """Return rows of (value, number), sorted by value."""
    return sorted((row[0], row[1]) for row in rows)
