"""A relay that passes bytes on a fixed time after they came, in order, in both directions.

It runs on select(2), which counts microseconds. The timers of asyncio and uvloop count whole
milliseconds.
"""

from __future__ import annotations

import select
import socket
import time
from collections import deque
from collections.abc import Iterator

from race.timeouts import TIMEOUTS

Target = str | tuple[str, int]
"""The path of a Unix socket, or host and port."""

CHUNK = 2**16
MOST_BYTES = 2**20  # under way in one direction; more stays with the sender, as on a real wire
MOST_CONNECTIONS = 500  # of two descriptors each; select(2) takes 1,024
END = b""


class Direction:
    """One direction of a connection. Bytes that came before `opens` count from then on."""

    def __init__(
        self, source: socket.socket, sink: socket.socket, delay: float, opens: float = 0.0
    ) -> None:
        self.source, self.sink = source, sink
        self.blocked = self.over = self.broken = False
        self._delay, self._opens = delay, opens
        self._under_way: deque[tuple[float, bytes]] = deque()
        self._bytes = 0
        self._ended = False

    @property
    def reads(self) -> bool:
        """True if more bytes may come."""
        return not self._ended and self._bytes < MOST_BYTES

    @property
    def due(self) -> float | None:
        """The time at which the next bytes leave; None if there are none or the sink takes none."""
        return None if self.blocked or not self._under_way else self._under_way[0][0]

    def receive(self, now: float) -> None:
        """Take what came. The end of the stream is delayed like everything else."""
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

    def send_due(self, now: float) -> None:
        """Pass on what is due."""
        self.blocked = False
        while self._under_way and self._under_way[0][0] <= now:
            due, data = self._under_way.popleft()
            try:
                sent = self._send(data)
            except OSError:
                self.broken = True
                return
            self._bytes -= sent
            if sent < len(data):
                self._under_way.appendleft((due, data[sent:]))
                self.blocked = True
                return

    def _send(self, data: bytes) -> int:
        """Return how much the sink took."""
        if data == END:
            self.over = True
            self.sink.shutdown(socket.SHUT_WR)
            return 0
        try:
            return self.sink.send(data)
        except BlockingIOError:
            return 0


class Relay:
    """A relay from a listening socket to a target that adds `seconds` to a round trip, half of them
    each way.
    """

    def __init__(self, listener: socket.socket, target: Target, seconds: float) -> None:
        self._listener = listener
        self._target = target
        self._seconds = seconds
        self._pairs: list[tuple[Direction, Direction]] = []
        listener.setblocking(False)

    def run(self) -> None:
        """Relay for ever."""
        while True:
            self.turn()

    def turn(self, most: float | None = None) -> None:
        """Wait for the next event, at most `most` seconds, and handle it."""
        directions = list(self._directions())
        reading = [one.source for one in directions if one.reads]
        if len(self._pairs) < MOST_CONNECTIONS:
            reading.append(self._listener)
        writing = [one.sink for one in directions if one.blocked]
        ready = set(select.select(reading, writing, [], self._timeout(most))[0])
        now = time.monotonic()
        for one in directions:
            if one.source in ready:
                one.receive(now)
        for one in directions:
            one.send_due(time.monotonic())
        self._close_ended()
        if self._listener in ready:
            self._accept(now)

    def close(self) -> None:
        """Close every connection that is left."""
        for up, down in self._pairs:
            up.source.close()
            down.source.close()
        self._pairs.clear()

    def _directions(self) -> Iterator[Direction]:
        for pair in self._pairs:
            yield from pair

    def _timeout(self, most: float | None) -> float | None:
        due = [one.due for one in self._directions()]
        waits = [max(0.0, one - time.monotonic()) for one in due if one is not None]
        return min([*waits, *([] if most is None else [most])], default=None)

    def _accept(self, now: float) -> None:
        """Accept a connection, which opens a round trip late.

        A TCP handshake takes a round trip, and a client that connects to us has not waited for one.
        """
        try:
            client = self._listener.accept()[0]
        except OSError:  # it went away meanwhile
            return
        try:
            server = connect(self._target)
        except OSError:  # the client finds its connection closed
            client.close()
            return
        for end in (client, server):
            end.setblocking(False)
            if end.family != socket.AF_UNIX:
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        half = self._seconds / 2
        there = Direction(client, server, half, now + self._seconds)
        self._pairs.append((there, Direction(server, client, half)))

    def _close_ended(self) -> None:
        """Close the connections that broke on one side, or ended on both."""
        open_pairs = []
        for up, down in self._pairs:
            if up.broken or down.broken or (up.over and down.over):
                up.source.close()
                down.source.close()
            else:
                open_pairs.append((up, down))
        self._pairs = open_pairs


def connect(target: Target) -> socket.socket:
    """Return a connection to the target. OSError if nobody listens there."""
    if isinstance(target, str):
        end = socket.socket(socket.AF_UNIX)
        end.settimeout(TIMEOUTS.link_connect)
        try:
            end.connect(target)
        except OSError:
            end.close()
            raise
        return end
    return socket.create_connection(target, TIMEOUTS.link_connect)
