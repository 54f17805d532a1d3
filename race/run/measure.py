"""Driving one load against one server, with all meters read before and after."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from race.errors import CellFailed
from race.machine import meters
from race.machine.meters import CoreTime, Usage
from race.machine.process import Child, wait_first
from race.run.arena import Arena
from race.run.rules import Busy
from race.saved.model import Load
from race.web.load import Generator, Sample, Target
from race.web.servers import Server, died

# wrk sorts its histogram after the run; a server that answers nothing costs one timeout more.
GRACE_SECONDS = 15.0


@dataclass(frozen=True)
class Measured:
    """A sample with its meters: nanoseconds of CPU by party, fractions of the cores' time."""

    sample: Sample
    server: Usage
    generator_ns: int
    database: Usage
    harness_ns: int
    foreign_ns: int
    steal: float
    foreign: float
    busy: Busy


@dataclass(frozen=True)
class _Reading:
    database_pid: int | None
    server: Usage
    database: Usage
    harness_ns: int
    cores: dict[int, CoreTime]


def drive(
    arena: Arena, server: Server | None, database: str | None, target: Target, load: Load
) -> Measured:
    """One run of a generator; CellFailed when the server or the generator did not last it out."""
    for stretch in (1, 2, 4):
        try:
            longer = replace(load, duration_s=load.duration_s * stretch)
            return _drive(arena, server, database, target, longer)
        except _TooEarly:
            continue
    raise CellFailed(f"{load.generator} was not ready after {4 * load.duration_s:g} s")


class _TooEarly(Exception):
    """On a busy machine the generator took SIGINT before it was ready to keep results."""


def _drive(
    arena: Arena, server: Server | None, database: str | None, target: Target, load: Load
) -> Measured:
    generator = arena.generator(load.generator)
    before = _read(arena, server, database)
    cores = arena.cores.server if generator.serverless else arena.cores.generator
    child = Child(generator.command(target, load), cores)
    try:
        cut = _last_out(child, server, generator, load)
        own = meters.cpu_ns(child.pid)
        after = _read(arena, server, database)
        if after.database_pid != before.database_pid:
            raise CellFailed(f"{database} went away during the cell")
        how = child.exit_text()
        if cut and how == "killed by SIGINT":
            raise _TooEarly
        if how != "ended with code 0":
            raise CellFailed(f"{load.generator} {how} ({child.complaint() or 'without a word'})")
        sample = generator.parse(child.output(), load)
    except (ValueError, KeyError) as error:
        raise CellFailed(f"{load.generator} gave no result: {error}") from None
    finally:
        child.end()
    return _measured(arena, sample, before, after, own, generator.serverless)


def _last_out(child: Child, server: Server | None, generator: Generator, load: Load) -> bool:
    """Wait for the generator's end; a load shorter than it can count is cut with SIGINT (True)."""
    watched = [child] if server is None else [child, server.child]
    first = None
    cut = False
    if generator.interruptible and load.duration_s != int(load.duration_s):
        first = wait_first(watched, load.duration_s)
        if first is None:
            child.interrupt()
            cut = True
    first = first or wait_first(watched, load.duration_s + GRACE_SECONDS)
    if first is None:
        raise CellFailed(f"{load.generator} did not end {GRACE_SECONDS:.0f} s after its time")
    if server is not None and not server.child.running():
        raise CellFailed(died(server.child))
    return cut


def _read(arena: Arena, server: Server | None, database: str | None) -> _Reading:
    pid = arena.databases.pid(database)
    return _Reading(
        pid,
        meters.usage(server.child.pid if server else None),
        meters.usage(pid),
        meters.cpu_ns(os.getpid()),
        meters.core_times(arena.cores.used),
    )


def _measured(
    arena: Arena, sample: Sample, before: _Reading, after: _Reading, own_ns: int, serverless: bool
) -> Measured:
    passed = meters.core_time_between(before.cores, after.cores)
    server = Usage(own_ns) if serverless else after.server.since(before.server)
    generator_ns = 0 if serverless else own_ns
    database = after.database.since(before.database)
    harness_ns = after.harness_ns - before.harness_ns
    ours = server.cpu_ns + generator_ns + database.cpu_ns + harness_ns
    foreign = meters.foreign_fraction(passed, ours)
    return Measured(
        sample, server, generator_ns, database, harness_ns,
        foreign_ns=round(foreign * passed.total * meters.TICK_NS),
        steal=passed.steal / passed.total,
        foreign=foreign,
        busy=_busy(arena, before, after, sample.seconds, generator_ns),
    )  # fmt: skip


def _busy(
    arena: Arena, before: _Reading, after: _Reading, seconds: float, generator_ns: int
) -> Busy:
    """How full each core was while the load ran: start and end of the generator take time too."""
    ticks = seconds * 1e9 / meters.TICK_NS

    def full(cores: frozenset[int]) -> float:
        mine = cores or arena.cores.used
        passed = meters.core_time_between({core: before.cores[core] for core in mine}, after.cores)
        return min(1.0, (passed.total - passed.idle) / (ticks * len(mine)))

    return Busy(
        server=full(arena.cores.server),
        generator=full(arena.cores.generator),
        database=full(arena.cores.database),
        generator_own=generator_ns / (seconds * 1e9),
    )
