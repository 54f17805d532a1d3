"""What a report's template is filled with: numbers as texts, charts, lists."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from data_interface.reports import (
    ATTENTION_BIN,
    DAY,
    DAYS,
    RATING_BIN,
    Bins,
    Figures,
    Leader,
    Newest,
    Ranking,
    Ratings,
    Today,
    Trend,
    Voters,
    month,
)
from handlers.render.charts import columns, heat, line

MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
WEEKDAYS = "Mon Tue Wed Thu Fri Sat Sun".split()
# The outermost bins have what is beyond them.
LOWEST_BIN, HIGHEST_BIN = -8, 8
MOST_ATTENTION = 11
MOST_DAYS = 15
# The least number of votes of each group of voters.
VOTES_FROM = (1, 2, 4, 8, 16, 32, 64)
EVERY_FOURTH_HOUR = [(hour, f"{hour}:00") for hour in range(0, 24, 4)]

View = Dict[str, Any]


class Item(NamedTuple):
    """A figure in large type, what it is, and a remark."""

    number: str
    what: str
    note: str = ""


class Pack(NamedTuple):
    """A line of the ranking; ``way`` is up, down or level."""

    title: str
    won: str
    lost: str
    gained: str
    week: str
    way: str
    points: str
    leader: Optional[Leader]


def today(found: Today, now: int) -> View:
    """See ``templates/reports/today.html``."""
    so_far, before = found.so_far, found.before
    says = [
        f"{hour}:00, {votes:,} votes; the day before {others:,}"
        for hour, (votes, others) in enumerate(zip(found.hours, found.hours_before))
    ]
    return {
        "items": [
            Item(f"{so_far.votes:,}", "votes today", f"{before.votes:,} by now yesterday"),
            Item(f"{so_far.voters:,}", "voters", f"{before.voters:,} by now yesterday"),
            Item(_ratio(*so_far), "votes each", f"{_ratio(*before)} yesterday"),
        ],
        "hours": columns(found.hours, says, EVERY_FOURTH_HOUR, found.hours_before),
        "winners": found.winners,
    }


def newest(found: Newest, now: int) -> View:
    """See ``templates/reports/newest.html``."""
    last = len(found.minutes)
    says = [f"{last - place} min ago, {votes:,} votes" for place, votes in enumerate(found.minutes)]
    ticks = [(place, f"-{last - place} min") for place in range(10, last, 10)]
    spans = (("ten minutes", found.ten_minutes), ("an hour", found.hour), ("a day", found.day))
    return {
        "items": [_rate(what, figures) for what, figures in spans],
        "minutes": columns(found.minutes, says, ticks),
        "duels": [(iso(duel.moment), time_text(duel.moment), *duel[1:]) for duel in found.duels],
    }


def ratings(found: Ratings, now: int) -> View:
    """See ``templates/reports/ratings.html``."""
    spread = found.spread
    bins = _gathered(found.bins, LOWEST_BIN, HIGHEST_BIN)
    attention = _gathered(found.attention, 0, MOST_ATTENTION)
    numbers = range(LOWEST_BIN, HIGHEST_BIN + 1)
    votes = [_span(ATTENTION_BIN, number, 0, MOST_ATTENTION) for number in range(len(attention))]
    rated = [_span(RATING_BIN, number, LOWEST_BIN, HIGHEST_BIN) for number in numbers]
    return {
        "items": [
            Item(f"{spread.stickers:,}", "stickers"),
            Item(f"{spread.median:+d}", "the middle one"),
            Item(f"{spread.lower:+d} to {spread.upper:+d}", "half of them"),
            Item(f"{spread.lowest:+d} to {spread.highest:+d}", "all of them"),
        ],
        "bins": columns(
            bins,
            [f"rated {text}: {count:,}" for text, count in zip(rated, bins)],
            [(n - LOWEST_BIN, f"{n * RATING_BIN:+d}") for n in range(LOWEST_BIN, HIGHEST_BIN, 4)],
        ),
        "attention": columns(
            attention,
            [f"{text} votes: {count:,}" for text, count in zip(votes, attention)],
            [(number, str(number * ATTENTION_BIN)) for number in range(0, len(attention), 2)],
        ),
        "rising": found.rising,
        "falling": found.falling,
        "contested": found.contested,
    }


def ranking(found: Ranking, now: int) -> View:
    """See ``templates/reports/ranking.html``."""
    since, _ = month(now)
    says = [
        f"{day_text(since + place * DAY)}, {votes:,} votes"
        for place, votes in enumerate(found.days)
    ]
    return {
        "packs": [_pack(trend) for trend in found.packs],
        "climbers": [(one.title, f"{one.week:+d}", f"{one.before:+d}") for one in found.climbers],
        "days": columns(found.days, says, _day_ticks(since)),
    }


def voters(found: Voters, now: int) -> View:
    """See ``templates/reports/voters.html``."""
    since, _ = month(now)
    returns = _gathered(found.returns, 1, MOST_DAYS)
    each = _grouped(found.votes_each)
    spoken = [f"{hour}:00, {it.voters:,} voters" for hour, it in enumerate(found.hours)]
    new = [it.new for it in found.days]
    return {
        "items": [
            Item(f"{found.month.voters:,}", f"voters in {DAYS} days"),
            Item(f"{found.week.voters:,}", "voters in 7 days"),
            Item(_ratio(*found.month), "votes each"),
            Item(_percent(sum(returns[1:]), sum(returns)), "came back"),
        ],
        "hours": columns([it.voters for it in found.hours], spoken, EVERY_FOURTH_HOUR),
        "week": heat(found.week_hours, list(_week_says(found.week_hours)), WEEKDAYS),
        "returns": columns(
            returns,
            [f"{count:,} voters on {_days(place)}" for place, count in enumerate(returns, 1)],
            [(place, f"{place + 1}") for place in range(0, MOST_DAYS, 2)],
        ),
        "each": columns(
            [count for _, count in each],
            [f"{text} votes: {count:,} voters" for text, count in each],
            [(place, text) for place, (text, _) in enumerate(each)],
        ),
        "days": columns(
            new,
            [
                f"{day_text(since + place * DAY)}, {it.voters:,} voters, {it.new:,} new"
                for place, it in enumerate(found.days)
            ],
            _day_ticks(since),
            [it.voters for it in found.days],
        ),
    }


def _rate(what: str, figures: Figures) -> Item:
    return Item(f"{figures.votes:,}", f"votes in {what}", f"by {figures.voters:,} voters")


def _pack(trend: Trend) -> Pack:
    change = trend.week - trend.before
    way = "up" if change > 0 else "down" if change < 0 else "level"
    gained = f"{trend.won - trend.lost:+d}"
    week = f"{trend.week:+d}"
    won, lost = f"{trend.won:,}", f"{trend.lost:,}"
    return Pack(trend.title, won, lost, gained, week, way, line(trend.days), trend.leader)


def _week_says(votes: Sequence[int]) -> Iterable[str]:
    for place, number in enumerate(votes):
        weekday, hour = divmod(place, 24)
        yield f"{WEEKDAYS[weekday]} {hour}:00, {number:,} votes"


def _gathered(bins: Bins, lowest: int, highest: int) -> List[int]:
    """How many in each bin; the outermost have what is beyond them."""
    found = [0] * (highest - lowest + 1)
    for number, count in bins:
        found[min(max(number, lowest), highest) - lowest] += count
    return found


def _span(width: int, number: int, lowest: int, highest: int) -> str:
    """The values of a bin."""
    first, last = number * width, (number + 1) * width - 1
    if number == lowest and lowest < 0:
        return f"{last} or less"
    return f"{first} or more" if number == highest else f"{first} to {last}"


def _grouped(bins: Bins) -> List[Tuple[str, int]]:
    """Voters by their number of votes, in groups of VOTES_FROM."""
    found = []
    for first, beyond in zip(VOTES_FROM, (*VOTES_FROM[1:], None)):
        inside = [count for votes, count in bins if votes >= first]
        outside = [count for votes, count in bins if beyond is not None and votes >= beyond]
        last = f"{first}+" if beyond is None else f"{first}-{beyond - 1}"
        text = str(first) if beyond == first + 1 else last
        found.append((text, sum(inside) - sum(outside)))
    return found


def _days(number: int) -> str:
    if number == 1:
        return "one day"
    return f"{number} days or more" if number == MOST_DAYS else f"{number} days"


def _day_ticks(since: int) -> List[Tuple[int, str]]:
    """Each seventh day, so that the last is the last."""
    return [(place, day_text(since + place * DAY)) for place in range(DAYS - 1, 0, -7)][::-1]


def _ratio(dividend: int, divisor: int) -> str:
    """With one digit behind the point, rounded down; a dash where there is none."""
    if not divisor:
        return "-"
    tenths = 10 * dividend // divisor
    return f"{tenths // 10:,}.{tenths % 10}"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part // whole} %" if whole else "-"


def _moment(moment: int) -> datetime:
    return datetime.fromtimestamp(moment, timezone.utc)


def iso(moment: int) -> str:
    """For a machine: 2026-05-01T12:00:00Z."""
    return f"{_moment(moment):%Y-%m-%dT%H:%M:%SZ}"


def day_text(moment: int) -> str:
    """The day of a moment: 1 May. Names do not depend on the machine's language."""
    date = _moment(moment)
    return f"{date.day} {MONTHS[date.month - 1]}"


def time_text(moment: int) -> str:
    """1 May 12:00:00."""
    return f"{day_text(moment)} {_moment(moment):%H:%M:%S}"
