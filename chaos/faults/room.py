"""No room left on the disk of a database, under votes; then there is some again."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from chaos.clients import Voters
from chaos.faults.databases import counted, told
from chaos.faults.disk import disk, resize
from chaos.lab import Fault, Lab, stored, until
from chaos.seen import NotHere, Seen
from race.web.databases import Databases
from race.web.engines import Entry

ROOM = 1 << 30
DATA = 64 * 1024
FULL_SECONDS = 60
SHORT_SECONDS = 20
REFUSED_SECONDS = 2.0
BACK_SECONDS = 10.0
MOST_VOTES = 10
"""Of a crowd before the disk is full."""


def run(lab: Lab) -> Iterator[Seen]:
    """Each database once, on a disk of its own."""
    seen: set[str | None] = set()
    for entry in stored():
        if entry.database in seen:
            continue
        subject = f"{entry.database}, {entry.name}"
        seen.add(entry.database)
        try:
            yield within_disk(lab, entry, subject)
        except (NotHere, OSError) as reason:
            yield Seen(subject, "", f"not tried: {reason}")


def within_disk(lab: Lab, entry: Entry, subject: str) -> Seen:
    """A lab on that disk, closed before the disk goes."""
    place = lab.folder / str(entry.database)
    with disk(place, str(ROOM)):
        inner = Lab(place, lab.short, lab.seed, lab.say)
        try:
            return filled(inner, entry, subject, place)
        finally:
            inner.close()


def filled(lab: Lab, entry: Entry, subject: str, place: Path) -> Seen:
    """Votes before, while and after the disk is full."""
    name = str(entry.database)
    empty = used(place)
    ours = Databases({name: lab.database(name)})
    wrong: list[str] = []
    recovery: list[float] = []
    with lab.server(entry.name) as server:
        before = counted(ours, name)
        if used(place) - empty < DATA:
            raise NotHere("its data is elsewhere than in VAR_DIR, as root's is")
        with Voters(server.url) as voters:
            until(lambda: len(voters.acknowledged) > MOST_VOTES, BACK_SECONDS)
            resize(place, used(place))
            before_full = len(voters.acknowledged)
            felt = is_felt(voters, lab.times(FULL_SECONDS, SHORT_SECONDS))
            taken = len(voters.acknowledged) - before_full
            resize(place, ROOM)
            began = time.monotonic()
            try:
                recovery.append(until(lambda: voters.since(began), BACK_SECONDS) - began)
            except TimeoutError:
                wrong.append(f"no vote within {BACK_SECONDS:.0f} s of room")
        if not server.child.running():
            wrong.append(f"the server {server.child.last_words()}")
    votes = told(ours, name, before, voters, wrong)
    lab.say(f"room: {subject}: {len(wrong)} went wrong")
    text = f"{taken} votes taken without room" + ("" if felt else ", and none refused")
    return Seen(subject, "once", text, recovery, votes, wrong)


def is_felt(voters: Voters, seconds: float) -> bool:
    """Whether votes are refused within that time; databases have some room of their own in files
    that they make in advance."""
    try:
        until(lambda: voters.undecided, seconds)
    except TimeoutError:
        return False
    time.sleep(REFUSED_SECONDS)
    return True


def used(place: Path) -> int:
    """Bytes in use there."""
    found = os.statvfs(place)
    return (found.f_blocks - found.f_bfree) * found.f_frsize


FAULT = Fault(
    "a full disk under a database",
    "Votes are refused or counted, none that was acknowledged is lost, and within 10 s of room "
    "votes are taken again, without a start by hand.",
    600.0,
    run,
)
