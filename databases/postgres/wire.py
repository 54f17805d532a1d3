"""What PostgreSQL is asked: https://www.postgresql.org/docs/current/protocol-message-formats.html"""

from __future__ import annotations

from typing import Iterator

from databases.database import Frame

REQUESTS = {"E": "Execute", "Q": "Query", "F": "FunctionCall"}


def requests(buffer: bytearray) -> Iterator[Frame]:
    """See ``Database.requests``."""
    while len(buffer) >= 5:
        length = int.from_bytes(buffer[1:5], "big") + 1
        if buffer[0] == 0:
            # The start-up message has no type: its own length is what begins with a zero.
            length = int.from_bytes(buffer[:4], "big")
        if len(buffer) < length:
            return
        frame = bytes(buffer[:length])
        del buffer[:length]
        yield REQUESTS.get(chr(frame[0]), ""), frame
