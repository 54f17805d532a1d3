"""A month of plausible votes for the reports: ``python -m data_interface.history [DATABASE ...]``.

The votes of a day depend on the seed and the day alone, so they are the same on every machine and
in every database. They give a time to votes that the stickers of the catalogue already have: no
sticker wins or loses more often than its ups and downs, and none of these change.
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
# The weights of the hours of a day from midnight (UTC), and of the days of a week from Monday.
HOURS = (4, 3, 2, 1, 1, 2, 4, 8, 12, 14, 15, 16, 17, 16, 15, 16, 18, 20, 22, 24, 23, 19, 13, 8)
WEEK = (9, 9, 9, 10, 11, 13, 12)
# 1970 began on a Thursday.
FIRST_WEEKDAY = 3
# Most voters come seldom, some nearly every day.
SELDOM, OFTEN, STEEPNESS = 0.02, 0.6, 6
# The mean number of votes of a visit after its first, and the seconds between two votes.
MORE_VOTES = 2.4
PAUSES = (4, 30)
# The possible votes of a day, of the 187,000 for all stickers: they repeat after half a year.
CANDIDATES = 1_000
# The days in which a pack comes into fashion and goes out of it.
SEASON = 60
LEAST_FASHION = 0.2


def votes_of(day: int) -> List[Vote]:
    """Return the votes of a day by time, about 400; ``day`` counts from 1970-01-01."""
    source = random.Random(SEED * 100_000 + day)  # noqa: S311 the same on every machine
    duels = _duels(day, source)
    votes = []
    for voter, loyalty in _voters():
        if source.random() * 10 < loyalty * WEEK[(day + FIRST_WEEKDAY) % 7]:
            votes += list(_visit(day, voter, duels, source))
    return sorted(votes)


def _visit(
    day: int, voter: int, duels: Iterator[Tuple[int, int]], source: random.Random
) -> Iterator[Vote]:
    """Generate the votes that one voter casts in a row."""
    hour = source.choices(range(24), HOURS)[0]
    moment = day * DAY + hour * HOUR + source.randrange(HOUR)
    for _ in range(1 + int(source.expovariate(1 / MORE_VOTES))):
        duel = next(duels, None)
        if duel is None or moment >= (day + 1) * DAY:
            return
        yield Vote(moment, *duel, voter)
        moment += source.randint(*PAUSES)


def _duels(day: int, source: random.Random) -> Iterator[Tuple[int, int]]:
    """Generate the winners and losers of a day; stickers of packs in fashion win more."""
    ups, downs = _ups_and_downs()
    for place in range(day * CANDIDATES, (day + 1) * CANDIDATES):
        winner, loser = ups[place % len(ups)], downs[place % len(downs)]
        if winner != loser and source.random() < _fashion(winner, day):
            yield winner, loser


def _fashion(sticker: int, day: int) -> float:
    """Return a chance from LEAST_FASHION to 1, which rises and falls with each SEASON."""
    pack = (sticker - 1) * PACKS // STICKERS
    phase = (day + 37 * pack) % SEASON
    return LEAST_FASHION + (1 - LEAST_FASHION) * abs(2 * phase - SEASON) / SEASON


@lru_cache(maxsize=1)
def _voters() -> List[Tuple[int, float]]:
    """Return the number of each voter, and the chance of a visit on a day."""
    source = random.Random(SEED)  # noqa: S311
    return [
        (source.getrandbits(44), SELDOM + OFTEN * source.random() ** STEEPNESS)
        for _ in range(VOTERS)
    ]


@lru_cache(maxsize=1)
def _ups_and_downs() -> Tuple[List[int], List[int]]:
    """Return the id of a sticker for each vote for it, and for each against it, shuffled."""
    _, stickers = catalogue()
    source = random.Random(SEED)  # noqa: S311
    ups = [sticker.id for sticker in stickers for _ in range(sticker.up)]
    downs = [sticker.id for sticker in stickers for _ in range(sticker.down)]
    source.shuffle(ups)
    source.shuffle(downs)
    return ups, downs


async def fill(store: Store, now: int) -> int:
    """Add plausible votes to each day of the reports that has none; return how many were added.

    Today gets votes until now. Raises StoreError if the database fails.
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
    """Fill the database that its URL variable names, or the private one."""
    url = os.environ.get(find(name).url_variable)
    if url:
        return asyncio.run(_fill_at(name, url, now))
    handle = join(name)
    try:
        return asyncio.run(_fill_at(name, handle.url, now))
    finally:
        handle.leave()


def main(argv: Sequence[str]) -> int:
    """Run the command: 0; 1 if a database could not be filled or there is none; 2 for wrong use."""
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
    # Without any database, the lines printed before say why.
    return max((_fill_and_print(name, time) for name in named or _present()), default=FAILED)


def _present() -> List[str]:
    """Return the databases that can be used here; print why the others cannot."""
    found = []
    for name in DATABASES:
        database = find(name)
        missing = None if os.environ.get(database.url_variable) else database.missing()
        if missing is None:
            found.append(name)
        else:
            print(f"{name}: left out, {missing}")
    return found


def _fill_and_print(name: str, time: Clock) -> int:
    """Fill one database and print the result; return the exit status."""
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
