"""Minutes of Index under load, and the memory of the servers."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass

from chaos.clients import get
from chaos.lab import MEGABYTE, Fault, Lab, bare, megabytes, memory, stored
from chaos.seen import NotHere, Seen
from race.machine.process import Child
from race.saved.model import Load
from race.web.load.generator import Target
from race.web.load.wrk import Wrk
from race.web.pages import PAGES
from race.web.servers import Server

SECONDS = 600
SHORT = 10
MOST = 256 * MEGABYTE
CONNECTIONS = 8
LOOK_SECONDS = 1.0
PATIENCE_SECONDS = 15.0


@dataclass
class Loaded:
    """A server under load, with the most memory that was seen of it, and the first."""

    name: str
    server: Server
    load: Child
    first: int
    most: int


def run(lab: Lab) -> Iterator[Seen]:
    """All frameworks in memory and all backends, at the same time."""
    if missing := Wrk().missing():
        yield Seen("Index", "", f"not tried: {missing}")
        return
    seconds = lab.times(SECONDS, SHORT)
    names = [one.name for one in bare()]
    for entry in stored():
        with contextlib.suppress(NotHere):
            lab.database(str(entry.database))
            names.append(entry.name)
    with contextlib.ExitStack() as stack:
        loaded: list[Loaded] = []
        for name in names:
            try:
                server = stack.enter_context(lab.server(name))
            except NotHere as reason:
                yield Seen(name, "", f"not tried: {reason}")
                continue
            generator = driven(server, seconds)
            stack.callback(generator.end)
            size = memory(server.child.pid)
            loaded.append(Loaded(name, server, generator, size, size))
        watch(loaded, seconds)
        lab.say(f"memory: {len(loaded)} servers, {seconds} s")
        yield from (told(one, seconds) for one in loaded)


def driven(server: Server, seconds: int) -> Child:
    """wrk on Index."""
    page = PAGES["index"]
    target = Target(server.url, "index", page.path)
    return Child(Wrk().command(target, load_of(seconds)))


def load_of(seconds: int) -> Load:
    """As hard as a few visitors can."""
    return Load(generator="wrk", connections=CONNECTIONS, duration_s=float(seconds))


def watch(loaded: list[Loaded], seconds: int) -> None:
    """Look at the memory of each until the load is over."""
    deadline = time.monotonic() + seconds + PATIENCE_SECONDS
    while time.monotonic() < deadline and any(one.load.running() for one in loaded):
        for one in loaded:
            one.most = max(one.most, memory(one.server.child.pid))
        time.sleep(LOOK_SECONDS)


def told(one: Loaded, seconds: int) -> Seen:
    """What a server was asked, and what it had at most."""
    wrong = []
    if one.most > MOST:
        wrong.append(f"{megabytes(one.most)} of memory")
    if not one.server.child.running():
        wrong.append(f"the server {one.server.child.last_words()}")
    elif (answer := get(one.server.url, "/")) is None or answer[0] != 200:
        wrong.append("Index is not served any more")
    requests = 0
    with contextlib.suppress(ValueError, KeyError):
        requests = Wrk().parse(one.load.output(), load_of(seconds)).sample.count
    if not requests:
        wrong.append(f"the load {one.load.last_words()}")
    grown = f"{megabytes(one.first)} at the start, {megabytes(one.most)} at most"
    return Seen(one.name, f"{seconds} s, {requests:,} pages", grown, wrong=wrong)


FAULT = Fault(
    "minutes of Index",
    "Ten minutes of new visitors leave each server within 256 MB.",
    1200.0,
    run,
)
