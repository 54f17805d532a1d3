"""Bodies and heads without measure: refused while they arrive, not once they are there."""

from __future__ import annotations

import gzip
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from chaos.clients import STATUS, port_of, well
from chaos.lab import MEGABYTE, Fault, Lab, bare, megabytes, memory
from chaos.seen import NotHere, Seen
from race.web.servers import Server

MOST_GROWTH = 16 * MEGABYTE
SENT = 64 * MEGABYTE
PIECE = bytes(256 * 1024)
REFUSED_SECONDS = 2.0
SECONDS = 5.0
LOOK_SECONDS = 0.02

POST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n"
CHUNK = b"%x\r\n" % len(PIECE) + PIECE + b"\r\n"


@dataclass(frozen=True)
class Flood:
    """``first``, then ``more`` until SENT bytes are out. ``at_once``: to be refused by the first
    part alone, before any body."""

    first: bytes
    more: bytes = PIECE
    at_once: bool = False


FLOODS = {
    "8 GB announced": Flood(POST + b"Content-Length: 8000000000\r\n\r\n", b"", at_once=True),
    "8 GB announced, 64 MB sent": Flood(POST + b"Content-Length: 8000000000\r\n\r\n"),
    "64 MB in chunks": Flood(POST + b"Transfer-Encoding: chunked\r\n\r\n", CHUNK),
    "a header of 64 MB": Flood(b"GET / HTTP/1.1\r\nA: ", b"a" * len(PIECE)),
    "64 MB of headers": Flood(b"GET / HTTP/1.1\r\n", b"A: aaaaaaa\r\n" * 20_000),
    "a path of 64 MB": Flood(b"GET /", b"a" * len(PIECE)),
}


def bomb() -> bytes:
    """60 KB that unpack to 60 MB."""
    body = gzip.compress(b"vote_plus=" + bytes(60 * MEGABYTE))
    head = POST + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(body)
    return head + body


class Watch:
    """The most memory of a server while a block runs."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self.before = self.most = memory(pid)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._done.set()
        self._thread.join()
        self.most = max(self.most, memory(self._pid))

    @property
    def growth(self) -> int:
        """Above what it had."""
        return self.most - self.before

    def _look(self) -> None:
        while not self._done.wait(LOOK_SECONDS):
            self.most = max(self.most, memory(self._pid))


def poured(port: int, pieces: Iterable[bytes], listen: float) -> tuple[int, float]:
    """The status that came (0: none), and after how many seconds it or the end came."""
    began = time.monotonic()
    answer = b""
    with socket.create_connection(("127.0.0.1", port), SECONDS) as connection:
        try:
            for piece in pieces:
                connection.sendall(piece)
            connection.settimeout(listen)
            while not STATUS.search(answer) and (chunk := connection.recv(65536)):
                answer += chunk
        except OSError:  # closed while it was sent, which is as good an answer
            pass
    found = STATUS.search(answer)
    return int(found[1]) if found else 0, time.monotonic() - began


def run(lab: Lab) -> Iterator[Seen]:
    """Every framework: each flood, then a body that unpacks to a thousand times its size."""
    for entry in bare():
        try:
            with lab.server(entry.name) as server:
                yield flooded(lab, entry.name, server)
        except NotHere as reason:
            yield Seen(entry.name, "", f"not tried: {reason}")


def flooded(lab: Lab, name: str, server: Server) -> Seen:
    """One after the other, the server's memory watched all the time."""
    wrong, statuses, most = [], set(), 0
    # What it takes once for a first page is not what a body takes.
    well(server.url)
    for what, flood in FLOODS.items():
        pieces = [flood.first, *([flood.more] * (SENT // len(flood.more)) if flood.more else [])]
        with Watch(server.child.pid) as watch:
            status, seconds = poured(port_of(server.url), pieces, SECONDS)
        statuses.add(status)
        most = max(most, watch.growth)
        if watch.growth > MOST_GROWTH:
            wrong.append(f"{what}: memory grew by {megabytes(watch.growth)}")
        if status in (200, 303) or status >= 500:
            wrong.append(f"{what}: {status}")
        if flood.at_once and seconds > REFUSED_SECONDS:
            wrong.append(f"{what}: refused after {seconds:.1f} s")
        if not well(server.url):
            wrong.append(f"no answer after: {what}")
    with Watch(server.child.pid) as watch:
        status, _ = poured(port_of(server.url), [bomb()], SECONDS)
    if watch.growth > MOST_GROWTH or status >= 500:
        wrong.append(f"a packed body: {status}, memory grew by {megabytes(watch.growth)}")
    lab.say(f"bodies: {name}: memory grew by {megabytes(most)}, {len(wrong)} went wrong")
    said = ", ".join("closed" if one == 0 else str(one) for one in sorted(statuses))
    text = f"{said}; memory grew by {megabytes(most)} at most"
    return Seen(name, f"{len(FLOODS) + 1} floods", text, wrong=wrong)


FAULT = Fault(
    "bodies and heads without measure",
    "8 GB that are announced are refused at once; a server's memory grows by less than 16 MB "
    "whatever arrives, and no body is unpacked.",
    900.0,
    run,
)
