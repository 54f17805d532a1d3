"""Databases killed under votes."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterable, Iterator
from itertools import groupby

from chaos.clients import Voters
from chaos.lab import Fault, Lab, stored, until
from chaos.seen import NotHere, Seen, Votes
from databases.database import DatabaseError
from databases.private import Handle
from race.errors import CellFailed
from race.web.databases import Databases
from race.web.engines import Entry
from race.web.servers import Server
from race.web.votes import count

KILLS = 50
SHORT = 3
BACK_SECONDS = 10.0
COUNT_SECONDS = 10.0
FIRST_VOTE_SECONDS = 10.0
# How long it is left alone before it is killed again.
CALM_SECONDS = (0.1, 0.8)


def run(lab: Lab) -> Iterator[Seen]:
    """Each backend; those of one database one after the other, databases at the same time."""
    entries = sorted(stored(), key=lambda one: str(one.database))
    groups = [list(group) for _, group in groupby(entries, key=lambda one: one.database)]
    for found in lab.apart(lambda group: list(each(lab, group)), groups, len(groups)):
        yield from found


def each(lab: Lab, entries: Iterable[Entry]) -> Iterator[Seen]:
    """The backends of one database."""
    for entry in entries:
        try:
            handle = lab.database(str(entry.database))
            with lab.server(entry.name) as server:
                yield killed(lab, entry, server, handle)
        except NotHere as reason:
            yield Seen(entry.name, "", f"not tried: {reason}")


def killed(lab: Lab, entry: Entry, server: Server, handle: Handle) -> Seen:
    """Kills under a crowd of voters; what it was told against what the database has."""
    name = str(entry.database)
    ours = Databases({name: handle})
    before = counted(ours, name)
    with Voters(server.url) as voters:
        recovery, wrong = kills(lab, entry.name, handle, voters)
    votes = told(ours, name, before, voters, wrong)
    if voters.refused:
        wrong.append(f"{voters.refused} votes of fresh ballots were refused")
    lab.say(f"databases: {entry.name}: {len(recovery)} kills, {len(wrong)} went wrong")
    return Seen(entry.name, f"{len(recovery)} kills", "", recovery, votes, wrong)


def counted(ours: Databases, name: str) -> int:
    """The votes in a database at rest."""
    return count(ours, name) or 0


def told(ours: Databases, name: str, before: int, voters: Voters, wrong: list[str]) -> Votes | None:
    """What came of the voters, once the database answers; where it does not, that is wrong."""
    try:
        return until(lambda: after(ours, name, before, voters), COUNT_SECONDS)
    except TimeoutError:
        wrong.append("the votes could not be counted")
        return None


def after(ours: Databases, name: str, before: int, voters: Voters) -> Votes | None:
    """What came of the voters; None as long as the database does not answer."""
    with contextlib.suppress(CellFailed):
        now = counted(ours, name) - before
        return Votes(len(voters.acknowledged), voters.undecided, now)
    return None


def kills(lab: Lab, engine: str, handle: Handle, voters: Voters) -> tuple[list[float], list[str]]:
    """Seconds from each kill to the first vote that began after it, and what went wrong."""
    dice = lab.dice(engine)
    recovery: list[float] = []
    try:
        until(lambda: voters.acknowledged, FIRST_VOTE_SECONDS)
    except TimeoutError:
        return [], ["no vote was taken before anything was killed"]
    for number in range(1, lab.times(KILLS, SHORT) + 1):
        lab.go_on()
        time.sleep(dice.uniform(*CALM_SECONDS))
        try:
            recovery.append(back(handle, voters))
        except (TimeoutError, DatabaseError):
            return recovery, [f"not back within {BACK_SECONDS:.0f} s of kill {number}"]
    return recovery, []


def back(handle: Handle, voters: Voters) -> float:
    """Kill it once; seconds until a vote is taken that began when another process was there."""
    old = handle.pid
    killed_at = time.monotonic()
    os.kill(old, signal.SIGKILL)
    until(lambda: other(handle, old), BACK_SECONDS)
    there = time.monotonic()
    return until(lambda: voters.since(there), BACK_SECONDS) - killed_at


def other(handle: Handle, old: int) -> bool:
    """Whether another process serves the data."""
    try:
        return handle.pid != old
    except DatabaseError:
        return False


FAULT = Fault(
    "a killed database",
    "Killed under votes again and again, it is back by itself, and every vote that was "
    "acknowledged is counted, once.",
    3600.0,
    run,
)
