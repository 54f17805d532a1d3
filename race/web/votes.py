"""Compares the votes that loads posted with those that the database counted."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from data_interface.votes import votes
from race.errors import CellFailed
from race.timeouts import TIMEOUTS
from race.web.ask import ask
from race.web.databases import Databases

PAUSE_SECONDS = 0.2
VOTING = "vote"
"""The page that takes votes."""


@dataclass(frozen=True)
class PostedVotes:
    """Votes that a load posted: acknowledged by the server, or without an answer."""

    acknowledged: int
    unanswered: int

    def __add__(self, other: PostedVotes) -> PostedVotes:
        return PostedVotes(
            self.acknowledged + other.acknowledged, self.unanswered + other.unanswered
        )


@dataclass
class VoteCheck:
    """The votes between two checks; `name` is the database, None if there is none."""

    databases: Databases
    name: str | None
    layout: str = ""
    _before: int | None = None
    _posted: PostedVotes = field(default_factory=lambda: PostedVotes(0, 0))

    def note(self, posted: PostedVotes) -> None:
        """Note the votes of a load."""
        self._posted += posted

    def lose_count(self) -> None:
        """Skip the next comparison: a load broke off, with votes that nobody counted."""
        self._before = None

    def check(self, task: str) -> None:
        """Compare with the last check. CellFailed if the database counted another number of votes.

        A vote whose answer was cut off may or may not have been counted. If only the server counts
        (memory), there is nothing to compare.
        """
        if task != VOTING or self.name is None:
            return
        before, now = self._before, count(self.databases, self.name, self.layout)
        posted, self._posted, self._before = self._posted, PostedVotes(0, 0), now
        if before is None or now is None:
            return
        least = posted.acknowledged
        most = least + posted.unanswered
        if not least <= now - before <= most:
            counted = f"the database counted {now - before}"
            raise CellFailed(f"{least} to {most} votes were acknowledged, {counted}")


def count(databases: Databases, name: str, layout: str = "") -> int | None:
    """Return the votes in a layout of a database, or None if the race does not use it.

    Votes that a client posted without waiting for the answer may still be under way. The count is
    asked until it stays the same, so that none of them is taken for a vote of the next load.
    """
    url = databases.url(name)
    if url is None:
        return None
    deadline = time.monotonic() + TIMEOUTS.database
    now, before = ask(name, votes(name, url, layout)), -1
    while now != before:
        if time.monotonic() > deadline:
            raise CellFailed("votes were still counted when nobody voted any more")
        time.sleep(PAUSE_SECONDS)
        now, before = ask(name, votes(name, url, layout)), now
    return now
