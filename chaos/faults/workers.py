"""Worker processes killed again and again."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from functools import partial

from chaos.clients import well
from chaos.lab import Fault, Lab, until, waiting
from chaos.seen import NotHere, Seen
from race.machine.proc import tree
from race.web.servers import Server

KILLS = 30
SHORT = 8
WORKERS = 2
BACK_SECONDS = 2.0
PATIENCE_SECONDS = 8.0
# Time to begin to serve.
QUIET_SECONDS = 0.5


def run(lab: Lab) -> Iterator[Seen]:
    """Each framework with two workers, one of which is always just dead."""
    for entry in waiting():
        try:
            lab.database(str(entry.database))
            with lab.server(entry.name, "--workers", str(WORKERS)) as server:
                yield killed(lab, entry.name, server)
        except NotHere as reason:
            yield Seen(entry.name, "", f"not tried: {reason}")


def killed(lab: Lab, name: str, server: Server) -> Seen:
    """A worker at a time, as soon as there are two again."""
    dice = lab.dice("workers")
    kills, wrong, recovery = lab.times(KILLS, SHORT), list[str](), list[float]()
    for number in range(1, kills + 1):
        before = _workers(server)
        with contextlib.suppress(ProcessLookupError):
            os.kill(dice.choice(before), signal.SIGKILL)
        began = time.monotonic()
        try:
            until(partial(_replaced, server, before), PATIENCE_SECONDS)
            until(lambda: well(server.url, 1.0), PATIENCE_SECONDS)
        except TimeoutError:
            alive = server.child.running()
            state = "no other came" if alive else f"the server {server.child.last_words()}"
            wrong.append(f"after {number} kills {state}")
            break
        recovery.append(time.monotonic() - began)
        time.sleep(QUIET_SECONDS)
    if max(recovery, default=0.0) > BACK_SECONDS:
        wrong.append(f"back after {max(recovery):.1f} s")
    lab.say(f"workers: {name}: {len(recovery)} kills, {len(wrong)} went wrong")
    return Seen(name, f"{len(recovery)} kills", f"{WORKERS} workers", recovery, wrong=wrong)


def _workers(server: Server) -> list[int]:
    return tree(server.child.pid)[1:]


def _replaced(server: Server, before: list[int]) -> bool:
    now = _workers(server)
    return len(now) == len(before) and now != before


FAULT = Fault(
    "killed workers",
    "A worker that served is started again however often it is killed, within 2 s; the server "
    "never gives up.",
    600.0,
    run,
)
