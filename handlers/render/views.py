"""The values for the template of each report: numbers as text, charts, lists.

A view has the name of its template in ``templates/reports/``.
"""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from data_interface.reports.rows import (
    ATTENTION_BIN,
    DAY,
    DAYS,
    RATING_BIN,
    Bins,
    Leader,
    Newest,
    PackRanking,
    Ratings,
    Today,
    Trend,
    VoterDay,
    Voters,
    month,
)
from handlers.render import texts
from handlers.render.charts import Chart, Heat, columns, heat, line

# The outermost bins include everything beyond them.
LOWEST_BIN, HIGHEST_BIN = -8, 8
MOST_ATTENTION = 11
MOST_DAYS = 15
# The smallest number of votes in each group of voters.
VOTES_FROM = (1, 2, 4, 8, 16, 32, 64)
EVERY_FOURTH_HOUR = [(hour, f"{hour}:00") for hour in range(0, 24, 4)]

View = Dict[str, Any]


class Item(NamedTuple):
    """A figure in large type, its name, and a remark."""

    number: str
    what: str
    note: str = ""


class PackView(NamedTuple):
    """A row of the ranking; ``way`` is up, down or level."""

    title: str
    won: str
    lost: str
    gained: str
    week: str
    way: str
    points: str
    leader: Optional[Leader]


def _item(number: int, one: str, rest: str = "", note: str = "") -> Item:
    """Return "1 vote today" for 1, "vote" and " today"."""
    return Item(f"{number:,}", texts.plural(number, one) + rest, note)


def today(found: Today, now: int) -> View:
    """Return the values of the day so far."""
    so_far, before = found.so_far, found.before
    says = [
        f"{hour}:00, {texts.count(votes, 'vote')}; the day before {others:,}"
        for hour, (votes, others) in enumerate(zip(found.hours, found.hours_before))
    ]
    return {
        "items": [
            _item(so_far.votes, "vote", " today", f"{before.votes:,} by now yesterday"),
            _item(so_far.voters, "voter", "", f"{before.voters:,} by now yesterday"),
            Item(texts.ratio(*so_far), "votes each", f"{texts.ratio(*before)} yesterday"),
        ],
        "hours": columns(found.hours, says, EVERY_FOURTH_HOUR, found.hours_before),
        "winners": found.winners,
    }


def newest(found: Newest, now: int) -> View:
    """Return the values of the last votes."""
    last = len(found.minutes)
    says = [
        f"{last - place} min ago, {texts.count(votes, 'vote')}"
        for place, votes in enumerate(found.minutes)
    ]
    ticks = [(place, f"-{last - place} min") for place in range(10, last, 10)]
    spans = (("ten minutes", found.ten_minutes), ("an hour", found.hour), ("a day", found.day))
    return {
        "items": [
            _item(it.votes, "vote", f" in {what}", f"by {texts.count(it.voters, 'voter')}")
            for what, it in spans
        ],
        "minutes": columns(found.minutes, says, ticks),
        "duels": [
            (texts.iso(duel.moment), texts.time(duel.moment), *duel[1:]) for duel in found.duels
        ],
    }


def ratings(found: Ratings, now: int) -> View:
    """Return the values of the distribution of ratings."""
    spread = found.spread
    return {
        "items": [
            _item(spread.stickers, "sticker"),
            Item(f"{spread.median:+d}", "the middle one"),
            Item(f"{spread.lower:+d} to {spread.upper:+d}", "half of them"),
            Item(f"{spread.lowest:+d} to {spread.highest:+d}", "all of them"),
        ],
        "bins": _by_rating(found.bins),
        "attention": _by_attention(found.attention),
        "rising": found.rising,
        "falling": found.falling,
        "contested": found.contested,
    }


def _by_rating(bins: Bins) -> Chart:
    counts = gathered(bins, LOWEST_BIN, HIGHEST_BIN)
    says = [
        f"rated {texts.span(RATING_BIN, number, LOWEST_BIN, HIGHEST_BIN)}: {count:,}"
        for number, count in enumerate(counts, LOWEST_BIN)
    ]
    numbers = range(LOWEST_BIN, HIGHEST_BIN, 4)
    ticks = [(number - LOWEST_BIN, f"{number * RATING_BIN:+d}") for number in numbers]
    return columns(counts, says, ticks)


def _by_attention(bins: Bins) -> Chart:
    counts = gathered(bins, 0, MOST_ATTENTION)
    says = [
        f"{texts.span(ATTENTION_BIN, number, 0, MOST_ATTENTION)} votes: {count:,}"
        for number, count in enumerate(counts)
    ]
    ticks = [(number, str(number * ATTENTION_BIN)) for number in range(0, len(counts), 2)]
    return columns(counts, says, ticks)


def ranking(found: PackRanking, now: int) -> View:
    """Return the values of the packs with their trends."""
    since, _ = month(now)
    says = [
        f"{texts.day(since + place * DAY)}, {texts.count(votes, 'vote')}"
        for place, votes in enumerate(found.days)
    ]
    return {
        "packs": [_pack(trend) for trend in found.packs],
        "climbers": [(one.title, f"{one.week:+d}", f"{one.before:+d}") for one in found.climbers],
        "days": columns(found.days, says, _day_ticks(since)),
    }


def _pack(trend: Trend) -> PackView:
    change = trend.week - trend.before
    return PackView(
        trend.title,
        f"{trend.won:,}",
        f"{trend.lost:,}",
        f"{trend.won - trend.lost:+d}",
        f"{trend.week:+d}",
        "up" if change > 0 else "down" if change < 0 else "level",
        line(trend.days),
        trend.leader,
    )


def voters(found: Voters, now: int) -> View:
    """Return the values of the voters by hour, and by how often they come back."""
    since, _ = month(now)
    by_hour = [it.voters for it in found.hours]
    spoken = [f"{hour}:00, {texts.count(number, 'voter')}" for hour, number in enumerate(by_hour)]
    returns = gathered(found.returns, 1, MOST_DAYS)
    return {
        "items": [
            _item(found.month.voters, "voter", f" in {DAYS} days"),
            _item(found.week.voters, "voter", " in 7 days"),
            Item(texts.ratio(*found.month), "votes each"),
            Item(texts.percent(sum(returns[1:]), sum(returns)), "came back"),
        ],
        "hours": columns(by_hour, spoken, EVERY_FOURTH_HOUR),
        "week": _week(found.week_hours),
        "returns": _returns(returns),
        "each": _each(grouped(found.votes_each)),
        "days": _new(found.days, since),
    }


def _week(votes: Sequence[int]) -> Heat:
    says = [
        f"{texts.WEEKDAYS[place // 24]} {place % 24}:00, {texts.count(number, 'vote')}"
        for place, number in enumerate(votes)
    ]
    return heat(votes, says, texts.WEEKDAYS)


def _returns(counts: Sequence[int]) -> Chart:
    says = [
        f"{texts.count(count, 'voter')} on {texts.days(number, MOST_DAYS)}"
        for number, count in enumerate(counts, 1)
    ]
    ticks = [(place, str(place + 1)) for place in range(0, MOST_DAYS - 1, 2)]
    return columns(counts, says, [*ticks, (MOST_DAYS - 1, f"{MOST_DAYS}+")])


def _each(groups: Sequence[Tuple[str, int]]) -> Chart:
    says = [
        f"{text} {'vote' if text == '1' else 'votes'}: {texts.count(count, 'voter')}"
        for text, count in groups
    ]
    ticks = [(place, text) for place, (text, _) in enumerate(groups)]
    return columns([count for _, count in groups], says, ticks)


def _new(days: Sequence[VoterDay], since: int) -> Chart:
    says = [
        f"{texts.day(since + place * DAY)}, {texts.count(it.voters, 'voter')}, {it.new:,} new"
        for place, it in enumerate(days)
    ]
    new, everybody = [it.new for it in days], [it.voters for it in days]
    return columns(new, says, _day_ticks(since), everybody)


def _day_ticks(since: int) -> List[Tuple[int, str]]:
    """Return a tick on each seventh day, counted back from the last."""
    places = range(DAYS - 1, 0, -7)
    return [(place, texts.day(since + place * DAY)) for place in places][::-1]


def gathered(bins: Bins, lowest: int, highest: int) -> List[int]:
    """Return the number in each bin; the outermost include everything beyond them."""
    found = [0] * (highest - lowest + 1)
    for number, count in bins:
        found[min(max(number, lowest), highest) - lowest] += count
    return found


def grouped(bins: Bins) -> List[Tuple[str, int]]:
    """Return the voters by their number of votes, in groups that begin at VOTES_FROM."""
    found = []
    for first, beyond in zip(VOTES_FROM, (*VOTES_FROM[1:], None)):
        inside = [count for votes, count in bins if votes >= first]
        outside = [count for votes, count in bins if beyond is not None and votes >= beyond]
        last = f"{first}+" if beyond is None else f"{first}-{beyond - 1}"
        text = str(first) if beyond == first + 1 else last
        found.append((text, sum(inside) - sum(outside)))
    return found
