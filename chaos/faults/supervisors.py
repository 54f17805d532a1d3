"""The supervisors of private databases killed under votes, and the databases with them."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator

from chaos.clients import Voters
from chaos.faults.databases import counted, told
from chaos.lab import Fault, Lab, stored, until
from chaos.seen import NotHere, Seen
from databases.database import DatabaseError
from databases.private import Handle
from race.machine.proc import read
from race.web.databases import Databases
from race.web.engines import Entry
from race.web.servers import Server

SUPERVISOR = "databases.supervisor"
KILLS = 10
SHORT = 2
BACK_SECONDS = 2.0
# A machine that is busy with this may take longer, which is said, and then is an error.
PATIENCE_SECONDS = 10.0


def run(lab: Lab) -> Iterator[Seen]:
    """Each database once, by its first backend that runs here."""
    seen: set[str | None] = set()
    for entry in stored():
        if entry.database in seen:
            continue
        try:
            handle = lab.database(str(entry.database))
            with lab.server(entry.name) as server:
                yield killed(lab, entry, server, handle)
            seen.add(entry.database)
        except NotHere as reason:
            yield Seen(entry.name, "", f"not tried: {reason}")


def killed(lab: Lab, entry: Entry, server: Server, handle: Handle) -> Seen:
    """Seconds from each kill of a supervisor to a vote that began after it."""
    name = str(entry.database)
    ours = Databases({name: handle})
    before = counted(ours, name)
    recovery: list[float] = []
    wrong: list[str] = []
    with Voters(server.url) as voters:
        for number in range(1, lab.times(KILLS, SHORT) + 1):
            try:
                until(lambda: len(voters.acknowledged) > 10, PATIENCE_SECONDS)
                recovery.append(back(handle, voters))
            except TimeoutError:
                wrong.append(f"no vote within {PATIENCE_SECONDS:.0f} s of kill {number}")
                break
    votes = told(ours, name, before, voters, wrong)
    if max(recovery, default=0.0) > BACK_SECONDS:
        wrong.append(f"back after {max(recovery):.1f} s")
    lab.say(f"supervisors: {entry.name}: {len(recovery)} kills, {len(wrong)} went wrong")
    return Seen(f"{name}, {entry.name}", f"{len(recovery)} kills", "", recovery, votes, wrong)


def back(handle: Handle, voters: Voters) -> float:
    """Kill the supervisor once; return the seconds until a vote that began after its revival."""
    supervisor = until(lambda: supervisor_of(handle), PATIENCE_SECONDS)
    began = time.monotonic()
    os.kill(supervisor, signal.SIGKILL)
    until(lambda: supervisor_of(handle) not in (None, supervisor), PATIENCE_SECONDS)
    there = time.monotonic()
    return until(lambda: voters.since(there), PATIENCE_SECONDS) - began


def supervisor_of(handle: Handle) -> int | None:
    """The process above the database that keeps it; None while there is none."""
    try:
        pid = handle.pid
    except DatabaseError:
        return None
    while pid > 1:
        fields = read(pid, "stat").rpartition(")")[2].split()
        if not fields or fields[0] in "ZX":
            return None
        if SUPERVISOR in read(pid, "cmdline").replace("\0", " "):
            return pid
        pid = int(fields[1])
    return None


FAULT = Fault(
    "a killed supervisor",
    "When the supervisor of a private database is killed, the running servers bring a new one "
    "within 2 s; no vote that was acknowledged is lost.",
    900.0,
    run,
)
