"""The reports are right, and the same on every store; the history that they are about."""

from __future__ import annotations

import asyncio
import random
from contextlib import asynccontextmanager
from itertools import groupby
from typing import Any, AsyncIterator, Dict, Iterable, List, Tuple

from data_interface.memory_store import MemoryStore
from data_interface.reports.rows import DAY, DAYS, NOBODY, Report, Vote, VoteCounts, midnight, month
from data_interface.store import CLEAN_EVERY_SECONDS, Data, Store
from tests.support.stores.bench import NOW, Bench, ask, counters, new_ballot, vote
from tests.support.stores.insiders import unhurried

AXES = "driver"

REPORTS = ("today", "newest", "ratings", "ranking", "voters")
CLEAN_SECONDS = 5 * CLEAN_EVERY_SECONDS
# Of packs 1 and 2; the first of them wins most.
ONE, TWO, OTHER = 1, 2, 31
GONE = 2_000_000
VOTES = [
    Vote(NOW - 2 * DAY, ONE, OTHER, 7),
    Vote(NOW - DAY, ONE, TWO, 7),
    Vote(NOW - 3601, OTHER, ONE, 8),
    Vote(NOW - 30, ONE, OTHER, 7),
    Vote(NOW, TWO, OTHER, NOBODY),
    Vote(NOW + 1, TWO, OTHER, 9),
]


@asynccontextmanager
async def history(bench: Bench, votes: Iterable[Vote]) -> AsyncIterator[Tuple[Store, Any]]:
    """A store with these votes and no others; none of them is left."""
    async with bench.store() as store, bench.insider(store) as insider:
        await insider.forget_votes()
        try:
            with unhurried(store):
                async with store.acquire() as data:
                    await remember(data, votes)
                yield store, insider
        finally:
            await insider.forget_votes()


async def remember(data: Data, votes: Iterable[Vote]) -> None:
    for _, day in groupby(sorted(votes), lambda one: one.moment // DAY):
        found = list(day)
        assert await data.remember(found) == len(found)


def many_votes(number: int) -> List[Vote]:
    """Votes of 30 days, some at the edges of spans, some on a sticker that is gone."""
    source = random.Random(5)  # noqa: S311 (the same each time)
    since, till = month(NOW)
    moments = [source.randrange(since, till) for _ in range(number)]
    moments += [since, since + DAY - 1, since + DAY, midnight(NOW), midnight(NOW) - 1, NOW, NOW + 1]
    moments += [NOW + 1 - span for span in (600, 3600, DAY, 7 * DAY, 14 * DAY)] * 2
    found = []
    for moment in moments:
        winner, loser = source.sample(range(1, 400), 2)
        voter = source.choice([NOBODY, *range(2**44 - 40, 2**44)])
        found.append(Vote(moment, winner, GONE if source.random() < 0.1 else loser, voter))
    return found


async def reported(store: Store, now: int) -> Dict[str, Report]:
    return {name: await ask(store, name, now) for name in REPORTS}


def places(values: List[int]) -> Dict[int, int]:
    """Return the values that are not 0."""
    return {place: value for place, value in enumerate(values) if value}


async def test_every_store_gives_the_same_reports(bench: Bench) -> None:
    votes = many_votes(1500)
    async with history(bench, votes) as (store, insider):
        model = MemoryStore()
        model.load(await ask(store, "packs"), await insider.stickers())
        await remember(model, votes)
        for now in (NOW, NOW - 2 * DAY, NOW + 3600, NOW + 100 * DAY):
            found, expected = await reported(store, now), await reported(model, now)
            for name in REPORTS:
                assert found[name] == expected[name], (name, now)


async def test_today_and_newest(bench: Bench) -> None:
    async with history(bench, VOTES) as (store, _):
        today = await ask(store, "today", NOW)
        assert (today.so_far, today.before) == (VoteCounts(3, 2), VoteCounts(1, 1))
        assert (places(today.hours), places(today.hours_before)) == ({11: 1, 12: 2}, {12: 1})
        assert [(one.id, one.wins) for one in today.winners] == [(ONE, 1), (TWO, 1), (OTHER, 1)]
        newest = await ask(store, "newest", NOW)
        assert [(one.moment, one.winner, one.loser) for one in newest.duels] == [
            (one.moment, one.winner, one.loser) for one in VOTES[-2::-1]
        ]
        assert newest.ten_minutes == newest.hour == VoteCounts(2, 1)
        assert newest.day == VoteCounts(3, 2)
        assert places(newest.minutes) == {59: 2}
        async with store.acquire() as data:
            sticker = await data.sticker(1, ONE)
        assert newest.duels[1].winner_title == today.winners[0].title == sticker.title


async def test_ratings_and_ranking(bench: Bench) -> None:
    async with history(bench, VOTES) as (store, insider):
        ratings = await ask(store, "ratings", NOW)
        assert [(one.id, one.gained) for one in ratings.rising] == [(ONE, 2)]
        assert [(one.id, one.gained) for one in ratings.falling] == [(OTHER, -2)]
        stickers = sorted(await insider.stickers(), key=lambda one: one.rating)
        spread, number = ratings.spread, len(stickers)
        assert (spread.stickers, spread.lowest, spread.highest) == (
            number,
            stickers[0].rating,
            stickers[-1].rating,
        )
        quartiles = [stickers[-(-number * part // 4) - 1].rating for part in (1, 2, 3)]
        assert [spread.lower, spread.median, spread.upper] == quartiles
        assert sum(count for _, count in ratings.bins) == number
        assert sum(count for _, count in ratings.attention) == number
        ranking = await ask(store, "ranking", NOW)
        assert [(one.id, one.won, one.lost) for one in ranking.packs] == [(1, 4, 2), (2, 1, 3)]
        first, second = ranking.packs
        assert (first.week, first.before, second.week) == (2, 0, -2)
        assert places(first.days) == {27: 1, 29: 1}
        assert places(second.days) == {27: -1, 29: -1}
        assert [one.id for one in ranking.climbers] == [1]
        assert places(ranking.days) == {27: 1, 28: 1, 29: 3}
        pack = await ask(store, "stickers", 1)
        best = min(pack, key=lambda one: (-one.rating, one.id))
        assert first.leader == (best.id, best.title, best.rating)


async def test_voters(bench: Bench) -> None:
    async with history(bench, VOTES) as (store, _):
        voters = await ask(store, "voters", NOW)
        assert voters.month == voters.week == VoteCounts(5, 2)
        assert {hour: it for hour, it in enumerate(voters.hours) if it.votes} == {
            11: (1, 1),
            12: (4, 1),
        }
        # Wednesday, Thursday, Friday.
        assert places(voters.week_hours) == {60: 1, 84: 1, 107: 1, 108: 2}
        assert voters.returns == voters.votes_each == [(1, 1), (3, 1)]
        assert voters.days[-4:] == [(0, 0), (1, 1), (1, 0), (2, 1)]
        assert len(voters.days) == DAYS


async def test_a_history_of_nothing(bench: Bench) -> None:
    async with history(bench, []) as (store, _):
        found = await reported(store, NOW)
        assert found["newest"].duels == []  # type: ignore[union-attr]
        assert found["ranking"].packs == []  # type: ignore[union-attr]
        assert found["voters"].returns == []  # type: ignore[union-attr]
        assert await ask(store, "remember", []) == 0


async def test_a_vote_is_in_the_history(bench: Bench) -> None:
    async with history(bench, []) as (store, insider):
        ballot = await new_ballot(store)
        pair = ballot.right_token, ballot.left_token
        assert await vote(store, *pair, voter=2**44 - 1, moment=NOW)
        assert not await vote(store, *pair, voter=5, moment=NOW + 1)
        winner, loser = ballot.right[0], ballot.left[0]
        assert await insider.votes() == [Vote(NOW, winner, loser, 2**44 - 1)]


async def test_votes_at_once_are_all_in_the_history(bench: Bench) -> None:
    async with history(bench, []) as (store, insider):
        ballots = [await new_ballot(store) for _ in range(10)]
        before = await counters(store)
        asked = [
            vote(store, one.left_token, one.right_token, voter)
            for voter, one in enumerate(ballots * 2, start=1)
        ]
        assert sorted(await asyncio.gather(*asked)) == [False] * 10 + [True] * 10
        found = await insider.votes()
        assert len(found) == (await counters(store)).votes - before.votes == 10
        assert len({one.voter % 10 for one in found}) == 10


async def test_a_day_that_has_votes_is_left_alone(bench: Bench) -> None:
    past = [one for one in many_votes(300) if one.moment < midnight(NOW)]
    async with history(bench, past) as (store, insider):
        before = await counters(store)
        kept = await insider.votes()
        assert sorted(kept) == sorted(past)
        again = [one for one in past if one.moment // DAY == past[0].moment // DAY]
        assert await ask(store, "remember", again) == 0
        today = [Vote(midnight(NOW) + second, ONE, TWO, 1) for second in (0, 5, 5, 9)]
        asked = [ask(store, "remember", today) for _ in range(4)]
        assert sorted(await asyncio.gather(*asked)) == [0, 0, 0, 4]
        assert (await insider.votes())[len(kept) :] == today
        assert await counters(store) == before
