"""Compares the changes that loads posted with those that the database counted."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from data_interface.votes import edits, votes
from race.errors import CellFailed
from race.load.generator import PostedChanges
from race.timeouts import TIMEOUTS
from race.web.databases import Databases, ask

PAUSE_SECONDS = 0.2
VOTING = "vote"
"""The page that takes votes."""
EDITING = "sticker-edit"
"""The page that takes new titles."""
SCRIPTS = {VOTING: "vote.lua", EDITING: "edit.lua"}
"""The scripts of wrk_scripts/ that post these changes."""
COUNTED = {VOTING: votes, EDITING: edits}
"""Pages that change something, and what reads the database's own count of it."""


@dataclass
class ChangeCheck:
    """The changes of each page between two checks; `name` is the database, None for none."""

    databases: Databases
    name: str | None
    layout: str = ""
    _before: dict[str, int] = field(default_factory=dict)
    _posted: dict[str, PostedChanges] = field(default_factory=dict)

    def note(self, task: str, posted: PostedChanges) -> None:
        """Note the changes of a load."""
        self._posted[task] = self._posted.get(task, PostedChanges(0, 0)) + posted

    def lose_count(self) -> None:
        """Skip the next comparison: a load broke off, with changes that nobody counted."""
        self._before.clear()

    def check(self, task: str) -> None:
        """Compare with the last check. CellFailed if the database counted another number.

        A change whose answer was cut off may or may not have been counted. If only the server
        counts (memory), there is nothing to compare.
        """
        if task not in COUNTED or self.name is None:
            return
        posted = self._posted.pop(task, PostedChanges(0, 0))
        before = self._before.pop(task, None)
        now = count(self.databases, self.name, task, self.layout)
        if now is not None:
            self._before[task] = now
        if before is None or now is None:
            return
        least = posted.acknowledged
        most = least + posted.unanswered
        if not least <= now - before <= most:
            counted = f"the database counted {now - before}"
            raise CellFailed(f"{least} to {most} changes were acknowledged, {counted}")


def count(databases: Databases, name: str, task: str, layout: str = "") -> int | None:
    """Return the changes in a layout of a database, or None if the race does not use it.

    Changes that a client posted without waiting for the answer may still be under way. The count is
    asked until it stays the same, so that none of them is taken for a change of the next load.
    """
    url = databases.url(name)
    if url is None:
        return None
    read = COUNTED[task]
    deadline = time.monotonic() + TIMEOUTS.database
    now, before = ask(name, read(name, url, layout)), -1
    while now != before:
        if time.monotonic() > deadline:
            raise CellFailed("changes were still counted when nobody posted any more")
        time.sleep(PAUSE_SECONDS)
        now, before = ask(name, read(name, url, layout)), now
    return now
