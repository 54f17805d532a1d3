"""Votes, counted by the database itself and not taken on the server's word."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from data_interface.votes import votes
from race.errors import CellFailed
from race.web.ask import SECONDS, ask
from race.web.databases import Databases

REST_SECONDS = 0.2
VOTING = "vote"
"""The page that takes votes."""


@dataclass(frozen=True)
class Cast:
    """Votes that a load posted, by fate."""

    acknowledged: int
    unanswered: int

    def __add__(self, other: Cast) -> Cast:
        return Cast(self.acknowledged + other.acknowledged, self.unanswered + other.unanswered)


@dataclass
class Ballots:
    """The votes between two checks: those in the database against those that loads posted."""

    databases: Databases
    name: str | None
    _before: int | None = None
    _cast: Cast = field(default_factory=lambda: Cast(0, 0))

    def note(self, cast: Cast) -> None:
        """A load posted votes."""
        self._cast += cast

    def lose_count(self) -> None:
        """A load broke off, with votes that nobody counted."""
        self._before = None

    def check(self, task: str) -> None:
        """CellFailed when the database counted others than were acknowledged since the last check.

        A vote whose answer was cut off may or may not have been counted. Where nobody but the
        server counts (memory), there is nothing to compare.
        """
        if task != VOTING or self.name is None:
            return
        before, now = self._before, count(self.databases, self.name)
        cast, self._cast, self._before = self._cast, Cast(0, 0), now
        if before is None or now is None:
            return
        sure, most = cast.acknowledged, cast.acknowledged + cast.unanswered
        if not sure <= now - before <= most:
            told = f"{sure} to {most} votes were acknowledged"
            raise CellFailed(f"{told}, the database counted {now - before}")


def count(databases: Databases, name: str) -> int | None:
    """Votes in a database; None when the race does not use it.

    Votes that a client posted and did not wait for are still under way: the count is asked until it
    rests, so that none of them is taken for a vote of the next load.
    """
    url = databases.url(name)
    if url is None:
        return None
    deadline = time.monotonic() + SECONDS
    now, before = ask(name, votes(name, url)), -1
    while now != before:
        if time.monotonic() > deadline:
            raise CellFailed("votes were still counted when nobody voted any more")
        time.sleep(REST_SECONDS)
        now, before = ask(name, votes(name, url)), now
    return now
