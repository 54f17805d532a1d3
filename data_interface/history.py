"""A month of plausible votes for the reports: ``python -m data_interface.history [DATABASE ...]``.

A day's votes depend on the seed and the day alone: the same on every machine and in every database,
whenever they are made. They give a time to votes that the catalogue's stickers have been given
already: no sticker wins or loses more often than its ups and downs say, and none of them changes.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
from functools import lru_cache
from typing import Iterator, List, Sequence, Tuple

from data_interface.reports.rows import DAY, DAYS, HOUR, Vote
from data_interface.stickers import PACKS, STICKERS, catalogue
from data_interface.store import Store, StoreError
from data_interface.votes import store_of
from databases import DATABASES, find
from databases.database import DatabaseError
from databases.private import join
from runtime.address import AddressError
from runtime.arguments import WRONG_USE, Parser
from runtime.clock import Clock, ClockError, clock

FAILED = 1
INTERRUPTED = 130

SEED = 20210709
VOTERS = 1_200
# How busy the hours of a day are, from midnight, UTC; the days of a week from Monday, in tenths.
HOURS = (4, 3, 2, 1, 1, 2, 4, 8, 12, 14, 15, 16, 17, 16, 15, 16, 18, 20, 22, 24, 23, 19, 13, 8)
WEEK = (9, 9, 9, 10, 11, 13, 12)
# 1970 began on a Thursday.
FIRST_WEEKDAY = 3
# Who comes at all comes seldom; some come nearly every day.
SELDOM, OFTEN, STEEPNESS = 0.02, 0.6, 6
# Votes of a visit after its first, on the mean; seconds between two.
MORE_VOTES = 2.4
PAUSES = (4, 30)
# Of each day, out of 187,000 votes for stickers: half a year goes by before one comes again.
CANDIDATES = 1_000
# A pack is in fashion and out again within so many days.
SEASON = 60
LEAST_FASHION = 0.2


def votes_of(day: int) -> List[Vote]:
    """The votes of a day by time, some 400; ``day`` counts from 1970-01-01."""
    source = random.Random(SEED * 100_000 + day)  # noqa: S311 (the same on every machine)
    duels = _duels(day, source)
    votes = []
    for voter, loyalty in _voters():
        if source.random() * 10 < loyalty * WEEK[(day + FIRST_WEEKDAY) % 7]:
            votes += list(_visit(day, voter, duels, source))
    return sorted(votes)


def _visit(
    day: int, voter: int, duels: Iterator[Tuple[int, int]], source: random.Random
) -> Iterator[Vote]:
    """What one voter casts in a row."""
    hour = source.choices(range(24), HOURS)[0]
    moment = day * DAY + hour * HOUR + source.randrange(HOUR)
    for _ in range(1 + int(source.expovariate(1 / MORE_VOTES))):
        duel = next(duels, None)
        if duel is None or moment >= (day + 1) * DAY:
            return
        yield Vote(moment, *duel, voter)
        moment += source.randint(*PAUSES)


def _duels(day: int, source: random.Random) -> Iterator[Tuple[int, int]]:
    """Winners and losers of a day; those whose pack is in fashion win more."""
    ups, downs = _ups_and_downs()
    for place in range(day * CANDIDATES, (day + 1) * CANDIDATES):
        winner, loser = ups[place % len(ups)], downs[place % len(downs)]
        if winner != loser and source.random() < _fashion(winner, day):
            yield winner, loser


def _fashion(sticker: int, day: int) -> float:
    """LEAST_FASHION to 1: each pack's own rise and fall over a SEASON."""
    pack = (sticker - 1) * PACKS // STICKERS
    phase = (day + 37 * pack) % SEASON
    return LEAST_FASHION + (1 - LEAST_FASHION) * abs(2 * phase - SEASON) / SEASON


@lru_cache(maxsize=1)
def _voters() -> List[Tuple[int, float]]:
    """Each voter (``rows.voter_of`` a session), and the chance that he votes on a day."""
    source = random.Random(SEED)  # noqa: S311
    return [
        (source.getrandbits(44), SELDOM + OFTEN * source.random() ** STEEPNESS)
        for _ in range(VOTERS)
    ]


@lru_cache(maxsize=1)
def _ups_and_downs() -> Tuple[List[int], List[int]]:
    """A sticker's number for each vote for it, and for each against it, shuffled."""
    _, stickers = catalogue()
    source = random.Random(SEED)  # noqa: S311
    ups = [sticker.id for sticker in stickers for _ in range(sticker.up)]
    downs = [sticker.id for sticker in stickers for _ in range(sticker.down)]
    source.shuffle(ups)
    source.shuffle(downs)
    return ups, downs


async def fill(store: Store, now: int) -> int:
    """Give each of the reports' days that has no vote its plausible ones; how many.

    Today until now. Days that have votes stay as they are. StoreError when the database fails.
    """
    kept, today = 0, now // DAY
    for day in range(today - DAYS + 1, today + 1):
        votes = [vote for vote in votes_of(day) if vote.moment <= now]
        async with store.acquire() as data:
            kept += await data.remember(votes)
    return kept


async def _fill_at(database: str, url: str, now: int) -> int:
    store = store_of(database, url)
    await store.open()
    try:
        return await fill(store, now)
    finally:
        await store.close()


def fill_database(name: str, now: int) -> int:
    """``fill`` the database that its URL variable names, or the private one."""
    url = os.environ.get(find(name).url_variable)
    if url:
        return asyncio.run(_fill_at(name, url, now))
    handle = join(name)
    try:
        return asyncio.run(_fill_at(name, handle.url, now))
    finally:
        handle.leave()


def main(argv: Sequence[str]) -> int:
    """The command: 0, 1 where a database could not be filled or none is here, 2 for wrong use."""
    parser = Parser("history", description="A month of plausible votes for the reports.")
    parser.add_argument(
        "databases",
        nargs="*",
        metavar="DATABASE",
        help=f"{', '.join(DATABASES)}; default: all that can run here",
    )
    named: List[str] = parser.parse_args(list(argv)).databases
    try:
        time = clock()
        for name in named:
            find(name)
    except (ClockError, DatabaseError) as error:
        return _fail(str(error), WRONG_USE)
    # Where none can run here, the lines before said why.
    return max((_told(name, time) for name in named or _present()), default=FAILED)


def _present() -> List[str]:
    """The databases that can be used here; of the others a line says why not."""
    found = []
    for name in DATABASES:
        database = find(name)
        missing = None if os.environ.get(database.url_variable) else database.missing()
        if missing is None:
            found.append(name)
        else:
            print(f"{name}: left out, {missing}")
    return found


def _told(name: str, time: Clock) -> int:
    """Fill one database and say so; the exit status."""
    try:
        kept = fill_database(name, time())
    except (AddressError, DatabaseError, StoreError) as error:
        return _fail(f"{name}: {error}", FAILED)
    done = f"{kept:,} votes added" if kept else "nothing to add, every day has votes"
    print(f"{name}: {done} (the last {DAYS} days)", flush=True)
    return 0


def _fail(message: str, status: int) -> int:
    print(f"history: {message}", file=sys.stderr, flush=True)
    return status


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
