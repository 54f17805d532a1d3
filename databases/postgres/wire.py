"""What PostgreSQL is asked: https://www.postgresql.org/docs/current/protocol-message-formats.html"""

from __future__ import annotations

from typing import Iterator

from databases.database import UPKEEP, Frame

REQUESTS = {"E": "Execute", "Q": "Query", "F": "FunctionCall"}
# What asyncpg's pool asks of a connection that is given back ends like this.
RESETS = b"RESET ALL"


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
        name = REQUESTS.get(chr(frame[0]), "")
        yield UPKEEP if name == "Query" and RESETS in frame else name, frame
