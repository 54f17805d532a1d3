"""The history of votes and the reports in plain Python, with which other stores are compared."""

from __future__ import annotations

import itertools
from bisect import bisect_left, insort
from collections import Counter, defaultdict
from heapq import nsmallest
from typing import Any, Dict, Iterable, List, NamedTuple, Sequence, Set, Tuple

from data_interface.article import Request, Rows
from data_interface.reports.article import ArticleReports
from data_interface.reports.rows import DAY, HOUR, NOBODY, Vote, midnight
from data_interface.store import VOTES_KEPT, Pack, Sticker

# 1970 began on a Thursday.
FIRST_WEEKDAY = 3


class NumberedVote(NamedTuple):
    """A vote with its number in the order of arrival. Such votes sort by time."""

    moment: int
    number: int
    winner: int
    loser: int
    voter: int


class History:
    """The votes in order of arrival and by time, bounded in number."""

    def __init__(self) -> None:
        self._arrived: List[NumberedVote] = []
        self._by_time: List[NumberedVote] = []
        self._numbers = itertools.count(1)

    def add(self, vote: Vote) -> None:
        """Add the vote that arrived last."""
        kept = NumberedVote(vote.moment, next(self._numbers), vote.winner, vote.loser, vote.voter)
        self._arrived.append(kept)
        insort(self._by_time, kept)
        surplus = len(self._arrived) - VOTES_KEPT
        if surplus > 0:
            # 1 % more than are too many, since the rest is copied.
            self._arrived = self._arrived[surplus + VOTES_KEPT // 100 :]
            self._by_time = sorted(self._arrived)

    def span(self, since: int, till: int) -> List[NumberedVote]:
        """Return the votes of a span, by time."""
        start, end = (
            bisect_left(self._by_time, NumberedVote(at, 0, 0, 0, 0)) for at in (since, till)
        )
        return self._by_time[start:end]


class MemoryReports(ArticleReports):
    """The reports on the dictionaries of ``memory_store.MemoryStore``."""

    _packs: Dict[int, Pack]
    _stickers: Dict[int, Sticker]
    _members: Dict[int, Set[int]]
    _ranking: List[Tuple[int, int]]

    def __init__(self) -> None:
        self._history = History()

    def report(self, name: str, *arguments: Any) -> Request:
        answer: Request = getattr(self, name)(*arguments)
        return answer

    async def remember(self, votes: Sequence[Vote]) -> int:
        start = midnight(votes[0].moment) if votes else 0
        if self._history.span(start, start + DAY):
            return 0
        for vote in votes:
            self._history.add(vote)
        return len(votes)

    async def figures(self, since: int, till: int) -> Rows:
        votes = self._history.span(since, till)
        return [(len(votes), len(known(votes)))]

    async def per_slot(self, since: int, till: int, seconds: int) -> Rows:
        return counted((vote.moment - since) // seconds for vote in self._history.span(since, till))

    async def winners(self, since: int, till: int, limit: int) -> Rows:
        wins = Counter(vote.winner for vote in self._history.span(since, till))
        rows = [(one.id, one.title, times) for one, times in self._with_sticker(wins)]
        return nsmallest(limit, rows, key=lambda row: (-row[2], row[0]))

    async def latest(self, till: int, limit: int) -> Rows:
        rows: List[Tuple[int, int, str, int, str]] = []
        for vote in reversed(self._history.span(0, till)):
            winner, loser = self._stickers.get(vote.winner), self._stickers.get(vote.loser)
            if winner is not None and loser is not None:
                rows.append((vote.moment, winner.id, winner.title, loser.id, loser.title))
            if len(rows) == limit:
                break
        return rows

    async def rating_bins(self, width: int) -> Rows:
        return counted(sticker.rating // width for sticker in self._stickers.values())

    async def attention_bins(self, width: int) -> Rows:
        return counted((sticker.up + sticker.down) // width for sticker in self._stickers.values())

    async def spread(self) -> Rows:
        ratings = [rating for rating, _ in self._ranking]
        number = len(ratings)
        if not number:
            return [(0, 0, 0, 0, 0, 0)]
        lower, median, upper = (ratings[-(-number * quarter // 4) - 1] for quarter in (1, 2, 3))
        return [(number, ratings[0], lower, median, upper, ratings[-1])]

    async def contested(self, most: int, limit: int) -> Rows:
        even = [one for one in self._stickers.values() if abs(one.rating) <= most]
        first = nsmallest(limit, even, key=lambda one: (-one.up - one.down, one.id))
        return [(one.id, one.title, one.up, one.down) for one in first]

    async def rising(self, since: int, till: int, limit: int) -> Rows:
        return self._movers(since, till, limit, 1)

    async def falling(self, since: int, till: int, limit: int) -> Rows:
        return self._movers(since, till, limit, -1)

    def _movers(self, since: int, till: int, limit: int, sign: int) -> Rows:
        gained = balance(duels(self._history.span(since, till)))
        rows = [
            (one.id, one.title, one.rating, gain)
            for one, gain in self._with_sticker(gained)
            if gain * sign > 0
        ]
        return nsmallest(limit, rows, key=lambda row: (-row[3] * sign, row[0]))

    async def pack_gains(self, since: int, till: int, limit: int) -> Rows:
        rows = [(pack, *scores) for pack, scores in self._by_pack(since, till).items()]
        return nsmallest(limit, rows, key=lambda row: (row[2] - row[1], row[0]))

    async def pack_changes(self, since: int, till: int) -> Rows:
        return list(balance(self._by_pack(since, till)).items())

    async def pack_days(self, since: int, till: int, packs: Sequence[int]) -> Rows:
        pack_of = {sticker: pack for pack in packs for sticker in self._members.get(pack, ())}
        gained: Dict[Tuple[int, int], int] = defaultdict(int)
        for vote in self._history.span(since, till):
            day = (vote.moment - since) // DAY
            for sticker, gain in ((vote.winner, 1), (vote.loser, -1)):
                if sticker in pack_of:
                    gained[pack_of[sticker], day] += gain
        return [(pack, day, gain) for (pack, day), gain in gained.items()]

    async def pack_leaders(self, packs: Sequence[int]) -> Rows:
        members = [[self._stickers[key] for key in self._members.get(pack, ())] for pack in packs]
        best = [min(found, key=lambda one: (-one.rating, one.id)) for found in members if found]
        return [(one.pack, one.id, one.title, one.rating) for one in best]

    async def titles(self) -> Rows:
        return list(self._packs.values())

    async def hours(self, since: int, till: int) -> Rows:
        by_hour: Dict[int, List[NumberedVote]] = defaultdict(list)
        for vote in self._history.span(since, till):
            by_hour[vote.moment % DAY // HOUR].append(vote)
        return [(hour, len(votes), len(known(votes))) for hour, votes in by_hour.items()]

    async def week_hours(self, since: int, till: int) -> Rows:
        span = self._history.span(since, till)
        return counted((vote.moment // HOUR + 24 * FIRST_WEEKDAY) % 168 for vote in span)

    async def returns(self, since: int, till: int) -> Rows:
        return counted(len(days) for days in self._visits(since, till).values())

    async def votes_each(self, since: int, till: int) -> Rows:
        votes = Counter(vote.voter for vote in self._history.span(since, till))
        return counted(number for voter, number in votes.items() if voter != NOBODY)

    async def voter_days(self, since: int, till: int) -> Rows:
        visits = self._visits(since, till).values()
        voters = Counter(day for days in visits for day in days)
        new = Counter(min(days) for days in visits)
        return [(day, number, new[day]) for day, number in voters.items()]

    def _visits(self, since: int, till: int) -> Dict[int, Set[int]]:
        """Return the days of the span on which each known voter voted."""
        days: Dict[int, Set[int]] = defaultdict(set)
        for vote in self._history.span(since, till):
            if vote.voter != NOBODY:
                days[vote.voter].add((vote.moment - since) // DAY)
        return days

    def _with_sticker(self, scores: Dict[int, int]) -> List[Tuple[Sticker, int]]:
        """Return the scores with their stickers, without deleted stickers."""
        return [
            (self._stickers[key], score) for key, score in scores.items() if key in self._stickers
        ]

    def _by_pack(self, since: int, till: int) -> Dict[int, List[int]]:
        """Return the numbers of duels that the stickers of each pack won and lost."""
        found: Dict[int, List[int]] = defaultdict(lambda: [0, 0])
        for number, (won, lost) in duels(self._history.span(since, till)).items():
            if number in self._stickers:
                scores = found[self._stickers[number].pack]
                scores[0] += won
                scores[1] += lost
        return found


def known(votes: Iterable[NumberedVote]) -> Set[int]:
    """Return the known voters."""
    return {vote.voter for vote in votes} - {NOBODY}


def counted(values: Iterable[int]) -> Rows:
    """Return each value with the number of times that it occurs."""
    return list(Counter(values).items())


def duels(votes: Iterable[NumberedVote]) -> Dict[int, List[int]]:
    """Return the numbers of duels that each sticker won and lost."""
    found: Dict[int, List[int]] = defaultdict(lambda: [0, 0])
    for vote in votes:
        found[vote.winner][0] += 1
        found[vote.loser][1] += 1
    return found


def balance(scores: Dict[int, List[int]]) -> Dict[int, int]:
    """Return the duels won minus the duels lost, by key."""
    return {key: won - lost for key, (won, lost) in scores.items()}
