"""New visitors request Index for minutes, and the memory of the servers is watched."""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass

import psutil
import pytest

from race.load.generator import Target
from race.load.wrk import Wrk
from race.saved.model import Load
from tests.conftest import absent
from tests.long.faults.conftest import Extent
from tests.long.faults.page import Record
from tests.support.engines import BARE
from tests.support.faults.engines import on_each_backend, server_of
from tests.support.faults.voters import serves
from tests.support.site_server import Databases, SiteServer

MIB = 2**20
MOST = 256 * MIB
CONNECTIONS = 8
LOOK_SECONDS = 1.0
SPARE_SECONDS = 15.0
ENGINES = [*BARE[::2], *on_each_backend()]

pytestmark = pytest.mark.fault(
    "minutes of Index",
    "Three minutes of new visitors leave each server within 256 MB.",
    bound=900,
)


@dataclass
class Loaded:
    """A server under load, its first and its highest memory in bytes, and why it did not start."""

    absent: str = ""
    server: SiteServer | None = None
    first: int = 0
    highest: int = 0
    pages: int = 0


def memory(server: SiteServer) -> int:
    """Return the bytes of a server's processes; what they share counts once (PSS)."""
    found = 0
    for process in [psutil.Process(server.pid), *server.tree()]:
        with contextlib.suppress(psutil.Error):
            found += process.memory_full_info().pss
    return found


@pytest.fixture(scope="module")
def loaded(databases: Databases, extent: Extent) -> Iterator[dict[str, Loaded]]:
    """All servers after minutes of load, which they had at the same time."""
    if missing := Wrk().missing():
        absent(missing)
    seconds = extent.times(full=180, short=10)
    load = Load(generator="wrk", connections=CONNECTIONS, duration_s=float(seconds))
    found = {engine: Loaded() for engine in ENGINES}
    generators: dict[str, subprocess.Popen[str]] = {}
    with contextlib.ExitStack() as stack:
        for engine, one in found.items():
            try:
                one.server = stack.enter_context(server_of(engine, databases))
            except pytest.skip.Exception as reason:
                one.absent = str(reason)
                continue
            one.first = memory(one.server)
            command = Wrk().command(Target(one.server.url, "/"), load)
            generators[engine] = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            stack.callback(generators[engine].kill)
        deadline = time.monotonic() + seconds + SPARE_SECONDS
        while any(one.poll() is None for one in generators.values()):
            assert time.monotonic() < deadline, "wrk does not end"
            for engine in generators:
                server = found[engine].server
                assert server
                found[engine].highest = max(found[engine].highest, memory(server))
            time.sleep(LOOK_SECONDS)
        for engine, generator in generators.items():
            output, _ = generator.communicate()
            found[engine].pages = Wrk().parse(output, load).sample.count
        yield found


@pytest.mark.parametrize("engine", ENGINES)
def test_memory(engine: str, loaded: dict[str, Loaded], extent: Extent, record: Record) -> None:
    one = loaded[engine]
    if one.server is None:
        absent(one.absent)
    record.tried = f"{extent.times(full=180, short=10)} s, {one.pages:,} pages"
    record.text = f"{one.first / MIB:.0f} MB at the start, {one.highest / MIB:.0f} MB at most"
    assert one.pages > 0
    assert serves(one.server, "/")
    assert one.highest < MOST
