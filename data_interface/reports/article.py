"""The reports in the article's layout: four to ten single requests for each.

What is summed is summed by the database: a month of votes on the wire would measure its transfer.
"""

from __future__ import annotations

from typing import List, Sequence

from data_interface.article import Rows, replies
from data_interface.reports.requests import ReportRequests
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
    Figures,
    HourOfDay,
    Leader,
    Mover,
    Newest,
    Ranking,
    Ratings,
    Spread,
    Today,
    Trend,
    VoterDay,
    Voters,
    Winner,
    by_key,
    midnight,
    month,
)


class ArticleReports(ReportRequests):
    """``rows.Reports``, made of single requests; all but ``remember``."""

    async def today(self, now: int) -> Today:
        """See ``rows.Reports``."""
        start, till = midnight(now), now + 1
        so_far, before, hours, hours_before, winners = await replies(
            self.figures(start, till),
            self.figures(start - DAY, till - DAY),
            self.per_slot(start, till, HOUR),
            self.per_slot(start - DAY, start, HOUR),
            self.winners(start, till, LISTED),
        )
        return Today(
            Figures(*so_far[0]),
            Figures(*before[0]),
            slots(hours, DAY // HOUR),
            slots(hours_before, DAY // HOUR),
            [Winner(*row) for row in winners],
        )

    async def newest(self, now: int) -> Newest:
        """See ``rows.Reports``."""
        till = now + 1
        latest, ten_minutes, hour, day, minutes = await replies(
            self.latest(till, NEWEST_LISTED),
            self.figures(till - TEN_MINUTES, till),
            self.figures(till - HOUR, till),
            self.figures(till - DAY, till),
            self.per_slot(till - HOUR, till, MINUTE),
        )
        return Newest(
            [Duel(*row) for row in latest],
            Figures(*ten_minutes[0]),
            Figures(*hour[0]),
            Figures(*day[0]),
            slots(minutes, HOUR // MINUTE),
        )

    async def ratings(self, now: int) -> Ratings:
        """See ``rows.Reports``."""
        since, till = month(now)
        bins, spread, attention, contested, rising, falling = await replies(
            self.rating_bins(RATING_BIN),
            self.spread(),
            self.attention_bins(ATTENTION_BIN),
            self.contested(EVEN, LISTED),
            self.movers(since, till, LISTED, True),
            self.movers(since, till, LISTED, False),
        )
        return Ratings(
            in_order(bins),
            Spread(*spread[0]),
            in_order(attention),
            [Contested(*row) for row in contested],
            [Mover(*row) for row in rising],
            [Mover(*row) for row in falling],
        )

    async def ranking(self, now: int) -> Ranking:
        """See ``rows.Reports``; two requests wait for the packs that they are about."""
        since, till = month(now)
        gains, week, before, votes, titles = await replies(
            self.pack_gains(since, till, PACKS_LISTED),
            self.pack_changes(till - WEEK, till),
            self.pack_changes(till - 2 * WEEK, till - WEEK),
            self.per_slot(since, till, DAY),
            self.titles(),
        )
        shown = [row[0] for row in gains]
        days, leaders = await replies(self.pack_days(since, till, shown), self.pack_leaders(shown))
        changes = Changes(titles, week, before)
        return Ranking(
            [changes.trend(row, days, leaders) for row in gains if row[0] in changes.titles],
            changes.climbers(),
            slots(votes, DAYS),
        )

    async def voters(self, now: int) -> Voters:
        """See ``rows.Reports``."""
        since, till = month(now)
        all_month, week, hours, week_hours, returns, votes_each, days = await replies(
            self.figures(since, till),
            self.figures(till - WEEK, till),
            self.hours(since, till),
            self.week_hours(since, till),
            self.returns(since, till),
            self.votes_each(since, till),
            self.voter_days(since, till),
        )
        return Voters(
            Figures(*all_month[0]),
            Figures(*week[0]),
            [HourOfDay(*pair) for pair in pairs(hours, DAY // HOUR)],
            slots(week_hours, WEEK // HOUR),
            in_order(returns),
            in_order(votes_each),
            [VoterDay(*pair) for pair in pairs(days, DAYS)],
        )


class Changes:
    """What packs gained this week and the week before."""

    def __init__(self, titles: Rows, week: Rows, before: Rows) -> None:
        self.titles = {row[0]: row[1] for row in titles}
        self._week = by_key(week)
        self._before = by_key(before)

    def trend(self, gains: Sequence[int], days: Rows, leaders: Rows) -> Trend:
        """Of a row of ``pack_gains``."""
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
        """Those that gained most on the week before, then by id."""
        found = [
            Climber(pack, title, self._week.get(pack, 0), self._before.get(pack, 0))
            for pack, title in self.titles.items()
        ]
        climbing = [one for one in found if one.week > one.before]
        return sorted(climbing, key=lambda one: (one.before - one.week, one.id))[:LISTED]


def slots(rows: Rows, number: int) -> List[int]:
    """The value of each slot: rows of a slot and a value, 0 where there is none."""
    found = by_key(rows)
    return [found.get(slot, 0) for slot in range(number)]


def pairs(rows: Rows, number: int) -> List[Sequence[int]]:
    """The two values of each slot: rows of a slot and its values, 0 where there is none."""
    found = {row[0]: row[1:] for row in rows}
    return [found.get(slot, (0, 0)) for slot in range(number)]


def in_order(rows: Rows) -> Bins:
    """Rows of a value and a number, by value."""
    return sorted((row[0], row[1]) for row in rows)
