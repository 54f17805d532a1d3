"""Pages that wait for a database, asked for many at a time on one connection."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from chaos.clients import get, port_of, raw
from chaos.lab import Fault, Lab, until, waiting
from chaos.seen import NotHere, Seen
from race.web.engines import Entry
from race.web.servers import Server

ROUNDS = 20
SHORT = 4
CONNECTIONS = 6
DEPTH = 24
REQUESTS = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * DEPTH
LISTEN_SECONDS = 0.5
BACK_SECONDS = 2.0
PATIENCE_SECONDS = 8.0


def run(lab: Lab) -> Iterator[Seen]:
    """Each framework with a database."""
    for entry in waiting():
        try:
            lab.database(str(entry.database))
            with lab.server(entry.name) as server:
                yield pressed(lab, entry, server)
        except NotHere as reason:
            yield Seen(entry.name, "", f"not tried: {reason}")


def pressed(lab: Lab, entry: Entry, server: Server) -> Seen:
    """Six connections at once, as often as asked for; served again each time."""
    wrong: list[str] = []
    recovery: list[float] = []
    rounds = lab.times(ROUNDS, SHORT)
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        for number in range(1, rounds + 1):
            ports = [port_of(server.url)] * CONNECTIONS
            list(pool.map(lambda port: raw(port, LISTEN_SECONDS, REQUESTS, close=False), ports))
            began = time.monotonic()
            try:
                until(lambda: _serves(server), PATIENCE_SECONDS)
            except TimeoutError:
                alive = server.child.running()
                state = "it does not answer" if alive else f"it {server.child.last_words()}"
                wrong.append(f"after {number * CONNECTIONS} connections {state}")
                break
            recovery.append(time.monotonic() - began)
    if max(recovery, default=0.0) > BACK_SECONDS:
        wrong.append(f"back after {max(recovery):.1f} s")
    lab.say(f"pipelined: {entry.name}: {len(wrong)} went wrong")
    text = f"{DEPTH} requests on each connection"
    return Seen(entry.name, f"{rounds * CONNECTIONS} connections", text, recovery, wrong=wrong)


def _serves(server: Server) -> bool:
    answer = get(server.url, "/", 1.0)
    return answer is not None and answer[0] == 200


FAULT = Fault(
    "pipelined pages that wait",
    "Whatever becomes of the connection, the page is served to others within 2 s, and no server "
    "gives up.",
    600.0,
    run,
)
