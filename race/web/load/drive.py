"""One run of a load generator against one server."""

from __future__ import annotations

import signal
from dataclasses import replace

from race.discipline import Broken
from race.errors import CellFailed, NotReady
from race.machine.proc import cpu_ns
from race.machine.process import Child, wait_first
from race.saved.model import Load
from race.web import load as generators
from race.web.load.generator import Generator, Seen, Target
from runtime.paths import ROOT

# wrk sorts its histogram after the run; a server that answers nothing costs one timeout more.
GRACE_SECONDS = 15.0
PARTY = "generator"
# Its start counts against the time of a load that is cut: less than this share of it is no load.
LEAST = 0.5


def drive(target: Target, load: Load, server: Child, cores: frozenset[int]) -> Seen:
    """CellFailed when the generator did not last it out; Broken, with what was seen until then,
    when the server did not.

    NotReady when the generator, on a busy machine, took SIGINT before it was ready to keep results,
    or had only just begun.
    """
    driver = generators.find(load.generator)
    child = Child(driver.command(target, load), cores, cwd=ROOT)
    try:
        seen = _driven(child, server, driver, load)
    except CellFailed:
        if server.running():
            raise
        raise CellFailed(f"server {server.last_words()}") from None
    finally:
        child.end()
    if not server.running():
        raise Broken(f"server {server.last_words()}", seen.sample)
    return seen


def _driven(child: Child, server: Child, driver: Generator, load: Load) -> Seen:
    """What the generator saw, with the CPU time that it used."""
    cut = _last_out(child, server, driver, load)
    spent = cpu_ns(child.pid)
    how = child.exit()
    if cut and how.signal is signal.SIGINT:
        raise NotReady(f"{load.generator} was not ready in time")
    if how.code != 0:
        said = child.complaint() or "without a word"
        raise CellFailed(f"{load.generator} {how} ({said})")
    try:
        seen = driver.parse(child.output(), load)
    except (ValueError, KeyError) as error:
        raise CellFailed(f"{load.generator} gave no result: {error}") from None
    if cut and server.running() and seen.sample.seconds < load.duration_s * LEAST:
        raise NotReady(f"{load.generator} began too late")
    beside = {} if seen.own_ns is None else {PARTY: max(0, spent - seen.own_ns)}
    return replace(seen, sample=replace(seen.sample, cpu_ns={PARTY: spent}, beside_ns=beside))


def _last_out(child: Child, server: Child, driver: Generator, load: Load) -> bool:
    """Wait for the generator's end; True where it was cut with SIGINT: a load that is shorter than
    it can count, or whose server died.
    """
    watched = [child, server]
    first = None
    cut = False
    if driver.interruptible and load.duration_s != int(load.duration_s):
        first = wait_first(watched, load.duration_s)
        if first is None:
            child.interrupt()
            cut = True
    first = first or wait_first(watched, load.duration_s + GRACE_SECONDS)
    if first is server:
        if driver.interruptible and not cut:
            child.interrupt()
            cut = True
        first = wait_first([child], load.duration_s + GRACE_SECONDS)
    if first is None:
        raise CellFailed(f"{load.generator} did not end {GRACE_SECONDS:.0f} s after its time")
    return cut
