"""A server of a known capacity: `python queueing_server.py PORT SECONDS [exponential]`.

It answers one request after the other, each of which takes SECONDS, or so long in the mean. When an
answer is due is counted, not slept: an answer that leaves late does not make the next one later, so
that the capacity is exact. Timers delay an answer by a millisecond or so.
"""

from __future__ import annotations

import asyncio
import random
import sys

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"


class Queue(asyncio.Protocol):
    """A connection; all share the time at which the server is free again."""

    free = 0.0
    seconds, exponential = 0.001, False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        loop = asyncio.get_running_loop()
        for _ in range(data.count(b"\r\n\r\n")):
            takes = random.expovariate(1 / self.seconds) if self.exponential else self.seconds
            Queue.free = max(loop.time(), Queue.free) + takes
            loop.call_at(Queue.free, self.answer)

    def answer(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(ANSWER)


async def main(port: int, seconds: float, exponential: bool) -> None:
    Queue.seconds, Queue.exponential = seconds, exponential
    server = await asyncio.get_running_loop().create_server(Queue, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:] == ["exponential"]))
