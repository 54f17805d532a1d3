"""Runs a load generator once against a server."""

from __future__ import annotations

import signal
from dataclasses import replace

from race import load as generators
from race.discipline import Broken
from race.errors import CellFailed, NotReady
from race.load.generator import Generator, LoadResult, Target
from race.machine.process import Child, wait_first
from race.machine.remote.host import Host, RemoteChild
from race.saved.model import Load
from race.timeouts import TIMEOUTS
from runtime.paths import ROOT

Runs = Child | RemoteChild
"""A program, here or on another machine."""
PARTY = "generator"
LEAST = 0.5
"""The share of its time that an interrupted load must have run: its start counts as time too."""


def drive(
    target: Target,
    load: Load,
    server: Runs,
    cores: frozenset[int],
    host: Host | None = None,
) -> LoadResult:
    """Run a load generator, here or on another machine, and return its result.

    CellFailed if the generator failed; Broken, with the result until then, if the server died.
    NotReady if the generator, on a busy machine, took SIGINT before it was ready to keep results,
    or had only just begun.
    """
    driver = generators.find(load.generator)
    command = driver.command(target, load)
    child: Runs = (
        host.start(command, cores, load.duration_s + 2 * TIMEOUTS.generator_end)
        if host
        else Child(command, cores, cwd=ROOT)
    )
    try:
        result = _driven(child, server, driver, load)
    except CellFailed:
        if server.running():
            raise
        raise CellFailed(f"server {server.last_words()}") from None
    finally:
        child.end()
    if not server.running():
        raise Broken(f"server {server.last_words()}", result.sample)
    return result


def _driven(child: Runs, server: Runs, driver: Generator, load: Load) -> LoadResult:
    """Return the result of a generator with the CPU time that it used."""
    interrupted = _wait(child, server, driver, load)
    how = child.exit()
    spent = child.cpu_ns()
    if interrupted and how.signal is signal.SIGINT:
        raise NotReady(f"{load.generator} was not ready in time")
    if how.code != 0:
        said = child.complaint() or "without a word"
        raise CellFailed(f"{load.generator} {how} ({said})")
    try:
        result = driver.parse(child.output(), load)
    except (ValueError, KeyError) as error:
        raise CellFailed(f"{load.generator} gave no result: {error}") from None
    if interrupted and server.running() and result.sample.seconds < load.duration_s * LEAST:
        raise NotReady(f"{load.generator} began too late")
    beside = {} if result.own_ns is None else {PARTY: max(0, spent - result.own_ns)}
    return replace(result, sample=replace(result.sample, cpu_ns={PARTY: spent}, beside_ns=beside))


def _wait(child: Runs, server: Runs, driver: Generator, load: Load) -> bool:
    """Wait for the generator's end; return whether it was interrupted.

    That happens to a load that is shorter than it can count, and when the server died.
    """
    timeout = load.duration_s + TIMEOUTS.generator_end
    first = None
    interrupted = False
    if driver.interruptible and load.duration_s != int(load.duration_s):
        first = wait_first([child, server], load.duration_s)
        if first is None:
            child.interrupt()
            interrupted = True
    first = first or wait_first([child, server], timeout)
    if first is server:
        if driver.interruptible and not interrupted:
            child.interrupt()
            interrupted = True
        first = wait_first([child], timeout)
    if first is None:
        late = f"{TIMEOUTS.generator_end:.0f} s after its time"
        raise CellFailed(f"{load.generator} did not end {late}")
    return interrupted
