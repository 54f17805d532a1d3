"""A relay that passes bytes on a fixed time after they came, in order, both ways.

Not on asyncio or uvloop: their timers count whole milliseconds. select(2) counts microseconds.
"""

from __future__ import annotations

import select
import socket
import time
from collections import deque
from collections.abc import Iterator

Target = str | tuple[str, int]
"""The path of a Unix socket, or host and port."""

CHUNK = 2**16
# On its way in one direction of a connection; more stays with the sender, as on a real wire.
MOST_BYTES = 2**20
# Two descriptors each; select(2) takes 1,024.
MOST_CONNECTIONS = 500
CONNECT_SECONDS = 5.0
END = b""


class Way:
    """One direction of a connection. What came before `opens` counts from then."""

    def __init__(
        self, source: socket.socket, sink: socket.socket, delay: float, opens: float = 0.0
    ) -> None:
        self.source, self.sink = source, sink
        self.stuck = self.over = self.broken = False
        self._delay, self._opens = delay, opens
        self._under_way: deque[tuple[float, bytes]] = deque()
        self._bytes = 0
        self._ended = False

    @property
    def reads(self) -> bool:
        """Whether more may come."""
        return not self._ended and self._bytes < MOST_BYTES

    @property
    def due(self) -> float | None:
        """When the next is to be passed on; None where there is nothing, or the sink is full."""
        return None if self.stuck or not self._under_way else self._under_way[0][0]

    def take(self, now: float) -> None:
        """What came; its end takes as long as everything else."""
        try:
            data = self.source.recv(CHUNK)
        except BlockingIOError:
            return
        except OSError:
            self.broken = True
            return
        self._ended = data == END
        self._bytes += len(data)
        self._under_way.append((max(now, self._opens) + self._delay, data))

    def give(self, now: float) -> None:
        """Pass on what is due."""
        self.stuck = False
        while self._under_way and self._under_way[0][0] <= now:
            due, data = self._under_way.popleft()
            try:
                sent = self._passed_on(data)
            except OSError:
                self.broken = True
                return
            self._bytes -= sent
            if sent < len(data):
                self._under_way.appendleft((due, data[sent:]))
                self.stuck = True
                return

    def _passed_on(self, data: bytes) -> int:
        """How much the sink took."""
        if data == END:
            self.over = True
            self.sink.shutdown(socket.SHUT_WR)
            return 0
        try:
            return self.sink.send(data)
        except BlockingIOError:
            return 0


class Relay:
    """Between those who connect to a listening socket and a target; `seconds` is what it adds to a
    round trip, half of it each way.
    """

    def __init__(self, listener: socket.socket, target: Target, seconds: float) -> None:
        self._listener = listener
        self._target = target
        self._seconds = seconds
        self._pairs: list[tuple[Way, Way]] = []
        listener.setblocking(False)

    def run(self) -> None:
        """For ever."""
        while True:
            self.turn()

    def turn(self, most: float | None = None) -> None:
        """Wait for what is next, `most` seconds, and do it."""
        ways = list(self._ways())
        reading = [way.source for way in ways if way.reads]
        if len(self._pairs) < MOST_CONNECTIONS:
            reading.append(self._listener)
        full = [way.sink for way in ways if way.stuck]
        came = set(select.select(reading, full, [], self._patience(most))[0])
        now = time.monotonic()
        for way in ways:
            if way.source in came:
                way.take(now)
        for way in ways:
            way.give(time.monotonic())
        self._bury()
        if self._listener in came:
            self._meet(now)

    def close(self) -> None:
        """Every connection that is left."""
        for up, down in self._pairs:
            up.source.close()
            down.source.close()
        self._pairs.clear()

    def _ways(self) -> Iterator[Way]:
        for pair in self._pairs:
            yield from pair

    def _patience(self, most: float | None) -> float | None:
        due = [way.due for way in self._ways()]
        waits = [max(0.0, one - time.monotonic()) for one in due if one is not None]
        return min([*waits, *([] if most is None else [most])], default=None)

    def _meet(self, now: float) -> None:
        """A new connection. TCP shakes hands first, which takes a round trip: whoever connects to
        us has not waited for that yet.
        """
        try:
            client = self._listener.accept()[0]
        except OSError:  # it went away meanwhile
            return
        try:
            server = connect(self._target)
        except OSError:  # for the client: nobody there
            client.close()
            return
        for end in (client, server):
            end.setblocking(False)
            if end.family != socket.AF_UNIX:
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        half = self._seconds / 2
        self._pairs.append(
            (Way(client, server, half, now + self._seconds), Way(server, client, half))
        )

    def _bury(self) -> None:
        """Close what broke on one side, or ended on both."""
        living = []
        for up, down in self._pairs:
            if up.broken or down.broken or (up.over and down.over):
                up.source.close()
                down.source.close()
            else:
                living.append((up, down))
        self._pairs = living


def connect(target: Target) -> socket.socket:
    """A connection to the target; OSError when nobody listens there."""
    if isinstance(target, str):
        end = socket.socket(socket.AF_UNIX)
        end.settimeout(CONNECT_SECONDS)
        try:
            end.connect(target)
        except OSError:
            end.close()
            raise
        return end
    return socket.create_connection(target, CONNECT_SECONDS)
