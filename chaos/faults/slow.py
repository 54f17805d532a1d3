"""Clients that say nothing, or a byte a second."""

from __future__ import annotations

import contextlib
import resource
import selectors
import socket
import time
from collections.abc import Iterator

from chaos.clients import get, port_of
from chaos.lab import Fault, Lab, bare
from chaos.seen import NotHere, Seen

CLIENTS = 1100
SHELL_LIMIT = 1024
GONE_SECONDS = 30.0
# Beyond which a visitor would have gone away.
SERVED_SECONDS = 2.0
DRIP_SECONDS = 1.0
ASK_SECONDS = 0.5

HEAD = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n"
WAYS: tuple[tuple[bytes, bytes], ...] = (
    (b"", b""),
    (b"GET / HTTP/1.1\r\nA: ", b"a"),
    (HEAD + b"Content-Length: 1000\r\n\r\nvote_plus=", b"a"),
    (HEAD, b""),
    (HEAD + b"Transfer-Encoding: chunked\r\n\r\n400\r\nvote_plus=", b"a"),
)
"""What a client says first, and then each second: silent, dripping a head, a body, and so on."""


class Crowd:
    """Slow clients on one server; ``left`` are those that it has not sent away."""

    def __init__(self, port: int, number: int) -> None:
        self._select = selectors.DefaultSelector()
        self._drips: dict[socket.socket, bytes] = {}
        self.refused = 0
        for at in range(number):
            self._come(port, *WAYS[at % len(WAYS)])

    def _come(self, port: int, first: bytes, more: bytes) -> None:
        try:
            connection = socket.create_connection(("127.0.0.1", port), SERVED_SECONDS)
            connection.setblocking(False)
            connection.send(first)
        except OSError:
            self.refused += 1
        else:
            self._select.register(connection, selectors.EVENT_READ, connection)
            self._drips[connection] = more

    @property
    def left(self) -> int:
        """Connections that are open."""
        return len(self._drips)

    def drip(self) -> None:
        """A byte from each of those that drip."""
        for connection, more in self._drips.items():
            with contextlib.suppress(OSError):  # seen by `listen`
                connection.send(more)

    def listen(self, seconds: float) -> None:
        """Take leave of those that the server closed."""
        for key, _ in self._select.select(seconds):
            connection: socket.socket = key.data
            try:
                if connection.recv(65536):
                    continue
            except BlockingIOError:
                continue
            except OSError:  # reset, which is an end too
                pass
            self._select.unregister(connection)
            del self._drips[connection]
            connection.close()

    def close(self) -> None:
        """Send the others home."""
        for connection in self._drips:
            connection.close()
        self._select.close()


def run(lab: Lab) -> Iterator[Seen]:
    """All frameworks at the same time, each with a crowd of its own."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    sites: list[tuple[str, str]] = []
    with contextlib.ExitStack() as stack:
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        # As a shell gives it to a server: to raise it is the server's own business.
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(SHELL_LIMIT, soft), hard))
        for entry in bare():
            try:
                sites.append((entry.name, stack.enter_context(lab.server(entry.name)).url))
            except NotHere as reason:
                yield Seen(entry.name, "", f"not tried: {reason}")
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        yield from lab.apart(lambda site: besieged(lab, *site), sites, len(sites))


def besieged(lab: Lab, name: str, url: str) -> Seen:
    crowd = Crowd(port_of(url), lab.times(CLIENTS, 110))
    came, began = crowd.left, time.monotonic()
    worst, unserved, asked = 0.0, 0, 0
    next_drip = next_ask = began
    gone: float | None = None
    while (now := time.monotonic()) < began + GONE_SECONDS:
        lab.go_on()
        if now >= next_drip:
            crowd.drip()
            next_drip = now + DRIP_SECONDS
        if now >= next_ask:
            answer = get(url, "/ugly", SERVED_SECONDS)
            asked, unserved = asked + 1, unserved + (answer != (200, b"UGLY"))
            worst = max(worst, time.monotonic() - now)
            next_ask = now + ASK_SECONDS
        crowd.listen(0.1)
        if not crowd.left:
            gone = time.monotonic() - began
            break
    wrong = []
    if crowd.left:
        wrong.append(f"{crowd.left} of {came} are still there after {GONE_SECONDS:.0f} s")
    if unserved:
        wrong.append(f"{unserved} of {asked} other visitors were not served within 2 s")
    crowd.close()
    lab.say(f"slow: {name}: {len(wrong)} went wrong")
    text = f"other visitors waited {1000 * worst:.0f} ms at most"
    if crowd.refused:
        text += f"; {crowd.refused} were not let in"
    return Seen(name, f"{came} clients", text, [gone] if gone is not None else (), wrong=wrong)


FAULT = Fault(
    "slow clients",
    "With 1,100 connections that are silent or drip a byte a second, other visitors are served "
    "within 2 s, and 30 s later all of them are gone.",
    300.0,
    run,
)
