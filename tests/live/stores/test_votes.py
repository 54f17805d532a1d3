"""A vote counts exactly once, whatever is tried."""

from __future__ import annotations

import asyncio
import secrets
import time
from typing import Any, List, Tuple

import pytest

from data_interface.reports.rows import DAY
from data_interface.store import Sticker, Store, StoreError
from tests.support.stores.bench import Ballot, Bench, ask, counters, new_ballot, unique, vote

AXES = "driver"

Score = Tuple[int, int, int]


async def score(store: Store, sticker: Sticker) -> Score:
    """Rating, up and down of a sticker now."""
    found = await ask(store, "sticker", sticker.pack, sticker.id)
    return found.rating, found.up, found.down


async def scores(store: Store, ballot: Ballot) -> List[Score]:
    """Return the scores of the left and of the right sticker, and the number of all votes."""
    left, right = Sticker(*ballot.left), Sticker(*ballot.right)
    votes = (await counters(store)).votes
    return [await score(store, left), await score(store, right), (votes, 0, 0)]


def changed(before: List[Score], winner: int, times: int = 1) -> List[Score]:
    """The scores after so many votes for the left (0) or the right (1)."""
    moved = [list(each) for each in before]
    for _ in range(times):
        moved[winner][0] += 1
        moved[winner][1] += 1
        moved[1 - winner][0] -= 1
        moved[1 - winner][2] += 1
        moved[2][0] += 1
    return [(each[0], each[1], each[2]) for each in moved]


@pytest.mark.parametrize("winner", [0, 1])
async def test_a_vote_counts_once(bench: Bench, winner: int) -> None:
    """The sticker whose token comes first wins; neither order counts again."""
    async with bench.store() as store:
        ballot = await new_ballot(store)
        before = await scores(store, ballot)
        tokens = (ballot.left_token, ballot.right_token)
        plus, minus = tokens[winner], tokens[1 - winner]
        assert await vote(store, plus, minus) is True
        assert await vote(store, plus, minus) is False
        assert await vote(store, minus, plus) is False
        assert await scores(store, ballot) == changed(before, winner)


async def test_50_at_once_count_once(bench: Bench) -> None:
    async with bench.store() as store:
        await warm(store)
        for _ in range(3):
            ballot = await new_ballot(store)
            before = await scores(store, ballot)
            pair = (ballot.left_token, ballot.right_token)
            results = await asyncio.gather(*[attempt(store, *pair) for _ in range(50)])
            assert one_counted(results), results
            assert await scores(store, ballot) == changed(before, winner=0)


def one_counted(results: List[Any]) -> bool:
    """One visitor learned that the vote counts, or none: the one that counted had timed out."""
    heard = results.count(True)
    return heard == 1 or (heard == 0 and any(isinstance(one, StoreError) for one in results))


async def warm(store: Store) -> None:
    """Have every connection open and its statement prepared, so that votes really meet."""
    await asyncio.gather(*[attempt(store, "0" * 32, "1" * 32) for _ in range(30)])


async def attempt(store: Store, plus: str, minus: str) -> Any:
    """The vote's answer, or the store's error: with many voters, connections may be busy."""
    try:
        return await vote(store, plus, minus)
    except StoreError as error:
        return error


async def test_swapped_at_once_count_once(bench: Bench) -> None:
    """25 votes each way on one ballot lock the same rows from both ends."""
    async with bench.store() as store:
        await warm(store)
        ballot = await new_ballot(store)
        before = await scores(store, ballot)
        pair = (ballot.left_token, ballot.right_token)
        results = await asyncio.gather(
            *[attempt(store, *(pair if turn % 2 else pair[::-1])) for turn in range(50)]
        )
        assert results.count(True) == 1, results
        winner = 1 - results.index(True) % 2
        assert await scores(store, ballot) == changed(before, winner)


async def test_opposite_votes_do_not_deadlock(bench: Bench) -> None:
    """40 ballots of the same two stickers, half of them the other way round, all voted at once."""
    async with bench.store() as store, bench.insider(store) as insider:
        ballot = await new_ballot(store)
        before = await scores(store, ballot)
        ids = (ballot.left[0], ballot.right[0])
        pairs = []
        for turn in range(40):
            plus, minus = secrets.token_hex(16), secrets.token_hex(16)
            await insider.keep_token(plus, ids[turn % 2], minus)
            await insider.keep_token(minus, ids[1 - turn % 2], plus)
            pairs.append((plus, minus))
        results = await asyncio.gather(*[attempt(store, *pair) for pair in pairs])
        wrong = [each for each in results if each is not True]
        assert not wrong, wrong
        expected = changed(changed(before, winner=0, times=20), winner=1, times=20)
        assert await scores(store, ballot) == expected


async def test_two_tokens_of_one_sticker_are_refused(bench: Bench) -> None:
    """No ballot has such; it would count for and against the same one."""
    async with bench.store() as store, bench.insider(store) as insider:
        ballot = await new_ballot(store)
        before = await scores(store, ballot)
        plus, minus = secrets.token_hex(16), secrets.token_hex(16)
        await insider.keep_token(plus, ballot.left[0], minus)
        await insider.keep_token(minus, ballot.left[0], plus)
        assert await vote(store, plus, minus) is False
        assert await scores(store, ballot) == before


async def test_tokens_of_two_ballots_are_refused(bench: Bench) -> None:
    async with bench.store() as store:
        one, other = await new_ballot(store), await new_ballot(store)
        before = await counters(store)
        assert await vote(store, one.left_token, other.right_token) is False
        assert await vote(store, one.left_token, other.left_token) is False
        assert (await counters(store)).votes == before.votes
        # A refused vote consumes nothing.
        assert await vote(store, one.left_token, one.right_token) is True
        assert await vote(store, other.left_token, other.right_token) is True


async def test_an_expired_token_is_refused(bench: Bench) -> None:
    async with bench.store() as store, bench.insider(store) as insider:
        for old in ("left", "right"):
            ballot = await new_ballot(store)
            before = await scores(store, ballot)
            await insider.expire(getattr(ballot, f"{old}_token"))
            assert await vote(store, ballot.left_token, ballot.right_token) is False
            assert await scores(store, ballot) == before


async def test_a_token_lives_by_the_database_s_clock(bench: Bench, monkeypatch: Any) -> None:
    """Whatever the time is where the site is served."""
    real = time.time
    async with bench.store() as store:
        for wrong in (-DAY, DAY):
            with monkeypatch.context() as patch:
                patch.setattr(time, "time", lambda wrong=wrong: real() + wrong)
                ballot = await new_ballot(store)
            assert await vote(store, ballot.left_token, ballot.right_token) is True


async def test_a_forged_token_is_refused(bench: Bench) -> None:
    async with bench.store() as store:
        ballot = await new_ballot(store)
        before = await scores(store, ballot)
        real = ballot.left_token
        cut = (real[:-1], real * 100, real.upper() + " ")
        for forged in ("0" * 32, "", *cut, ballot.session, real):
            assert await vote(store, real, forged) is False
            assert await vote(store, forged, real) is False
            assert await vote(store, forged, forged) is False
        assert await scores(store, ballot) == before
        assert await vote(store, ballot.right_token, real) is True


async def test_a_deleted_sticker_takes_no_vote(bench: Bench) -> None:
    async with bench.store() as store, bench.insider(store) as insider:
        pack = await ask(store, "create_pack", unique("Pack"))
        gone = await ask(store, "create_sticker", pack.id, "Gone")
        left = await ask(store, "create_sticker", pack.id, "Left")
        one, other = secrets.token_hex(16), secrets.token_hex(16)
        await insider.keep_token(one, gone.id, other)
        await insider.keep_token(other, left.id, one)
        await ask(store, "delete_sticker", pack.id, gone.id)
        before = await counters(store)
        assert await vote(store, one, other) is False
        assert await vote(store, other, one) is False
        assert await score(store, left) == (0, 0, 0)
        assert (await counters(store)).votes == before.votes
        await ask(store, "delete_sticker", pack.id, left.id)
        await ask(store, "delete_pack", pack.id)
