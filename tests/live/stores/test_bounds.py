"""The bounds of number and age that each database keeps, and the history that it is filled with."""

from __future__ import annotations

import asyncio
import functools

from data_interface.history import fill, votes_of
from data_interface.reports.rows import DAY, DAYS, Vote, month
from data_interface.store import CLEAN_EVERY_SECONDS, SESSION_SECONDS
from tests.live.stores.test_reports import ONE, TWO, history
from tests.support.stores.bench import (
    NOW,
    Bench,
    ask,
    counters,
    eventually,
    forgotten,
    new_ballot,
    vote,
)
from tests.support.stores.insiders import lowered

AXES = "database"
CLEAN_SECONDS = 5 * CLEAN_EVERY_SECONDS
TODAY = NOW // DAY
YEAR = 365 * DAY


async def test_a_burst_stays_within_the_bounds(bench: Bench) -> None:
    """Three times the bound of tokens and sessions: all visitors stay counted, votes go on."""
    with lowered(tokens=40, sessions=20):
        async with bench.store() as store, bench.insider(store) as insider:
            before = await counters(store)
            for _ in range(60):
                await new_ballot(store)

            async def bounded() -> bool:
                tokens, sessions = await insider.kept()
                return bool(tokens <= 40 and sessions <= 20)

            await eventually(bounded, CLEAN_SECONDS, "the bounds were not kept")
            # Tarantool counts ages in whole seconds: the next session must be newer than the burst.
            await bench.sleep(1.1)
            newest = await new_ballot(store)
            await eventually(bounded, CLEAN_SECONDS, "the bounds were not kept")
            assert await vote(store, newest.left_token, newest.right_token) is True
            assert (await insider.session(newest.session))[2] == 1
            assert (await counters(store)).visitors == before.visitors + 61
    async with bench.store():
        # Tarantool keeps the bounds of the last store, so this sets the usual ones again.
        pass


async def test_the_old_is_cleaned(bench: Bench) -> None:
    async with bench.store() as store, bench.insider(store) as insider:
        ballot = await new_ballot(store)
        before = await counters(store)
        await insider.age_session(ballot.session, SESSION_SECONDS + 1)
        await insider.expire(ballot.left_token)
        await new_ballot(store)
        done = functools.partial(forgotten, insider, ballot.session)
        await eventually(done, CLEAN_SECONDS, "the session was not cleaned")
        assert (await counters(store)).visitors > before.visitors


async def test_a_clock_that_was_set_back_kills_nothing_that_comes_now(bench: Bench) -> None:
    """Rows of a moment in the future are not kept at the expense of the present."""
    with lowered(tokens=40, sessions=20):
        async with bench.store() as store, bench.insider(store) as insider:
            for _ in range(20):
                ballot = await new_ballot(store)
                await insider.age_session(ballot.session, -YEAR)
                await insider.expire(ballot.left_token, YEAR)
                await insider.expire(ballot.right_token, YEAR)
            # Tarantool counts in whole seconds: the next visit must be later than a cleaning.
            await bench.sleep(2.1 * CLEAN_EVERY_SECONDS)
            one = await new_ballot(store)
            await bench.sleep(1.5 * CLEAN_EVERY_SECONDS)
            tokens, sessions = await insider.kept()
            assert tokens <= 40
            assert sessions <= 20
            assert (await insider.session(one.session))[2] == 1
            assert await vote(store, one.left_token, one.right_token) is True
    async with bench.store():
        # Tarantool keeps the bounds of the last store, so this sets the usual ones again.
        pass


async def test_the_history_is_bounded_in_number(bench: Bench) -> None:
    """The first to arrive are deleted, whenever they were cast."""
    late = [Vote(NOW + DAY + second, ONE, TWO, 1) for second in range(15)]
    with lowered(tokens=1000, sessions=1000, votes=20):
        async with history(bench, late) as (store, insider):
            for second in range(40):
                ballot = await new_ballot(store)
                pair = ballot.left_token, ballot.right_token
                assert await vote(store, *pair, moment=NOW + second)

            async def bounded() -> bool:
                return len(await insider.votes()) == 20

            await eventually(bounded, CLEAN_SECONDS, "the bound was not kept")
            found = [one.moment for one in await insider.votes()]
            assert found == [NOW + second for second in range(20, 40)]
    async with bench.store():
        # Tarantool keeps the bounds of the last store, so this sets the usual ones again.
        pass


async def test_a_clock_that_moves_erases_no_history(bench: Bench) -> None:
    """Votes of a clock 73 years ahead, of one 40 years behind, and of the right one again."""
    month = [Vote(NOW - day * DAY, ONE, TWO, 1) for day in range(DAYS, 0, -1)]
    moments = (NOW + 73 * YEAR, NOW - 40 * YEAR, NOW)
    async with history(bench, month) as (store, insider):
        for moment in moments:
            ballot = await new_ballot(store)
            assert await vote(store, ballot.left_token, ballot.right_token, moment=moment)
        await bench.sleep(1.5 * CLEAN_EVERY_SECONDS)
        found = await insider.votes()
        assert found[:DAYS] == month
        assert tuple(one.moment for one in found[DAYS:]) == moments


async def test_the_days_without_votes_are_filled(bench: Bench) -> None:
    mine = Vote(NOW - 3 * DAY, ONE, TWO, 5)
    async with history(bench, [mine]) as (store, insider):
        before = await counters(store)
        kept = await fill(store, NOW)
        found = await insider.votes()
        assert found[0] == mine
        assert len(found) == kept + 1
        expected = [
            one
            for day in range(TODAY - DAYS + 1, TODAY + 1)
            if day != TODAY - 3
            for one in votes_of(day)
            if one.moment <= NOW
        ]
        assert found[1:] == expected
        assert await fill(store, NOW) == 0
        assert await counters(store) == before
        days = (await ask(store, "ranking", NOW)).days
        assert days[DAYS - 4] == 1
        assert all(number > 50 for place, number in enumerate(days) if place != DAYS - 4)


async def test_votes_go_on_while_it_is_filled(bench: Bench) -> None:
    """Each vote is the next after the days that are filled, of which MariaDB may lock the end."""
    async with history(bench, []) as (store, insider):
        filling = asyncio.ensure_future(fill(store, NOW - DAY))

        async def visitor() -> int:
            cast = 0
            while not filling.done() and cast < 50:
                ballot = await new_ballot(store)
                pair = ballot.left_token, ballot.right_token
                assert await vote(store, *pair, voter=5, moment=NOW - cast)
                cast += 1
            return cast

        cast = sum(await asyncio.gather(*[visitor() for _ in range(4)]))
        kept = await filling
        assert len(await insider.votes()) == kept + cast
        since, _ = month(NOW - DAY)
        assert min(one.moment for one in await insider.votes()) >= since
