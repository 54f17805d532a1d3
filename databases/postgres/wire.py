"""Reads requests to PostgreSQL: https://www.postgresql.org/docs/current/protocol-message-formats.html"""

from __future__ import annotations

from typing import Iterator

from databases.database import UPKEEP, Frame

REQUESTS = {"E": "Execute", "Q": "Query", "F": "FunctionCall"}
# asyncpg's pool resets a connection with a query that contains this.
RESETS = b"RESET ALL"


def requests(buffer: bytearray) -> Iterator[Frame]:
    while len(buffer) >= 5:
        length = int.from_bytes(buffer[1:5], "big") + 1
        if buffer[0] == 0:
            # The start-up message has no type and begins with its length, whose first byte is 0.
            length = int.from_bytes(buffer[:4], "big")
        if len(buffer) < length:
            return
        frame = bytes(buffer[:length])
        del buffer[:length]
        name = REQUESTS.get(chr(frame[0]), "")
        yield UPKEEP if name == "Query" and RESETS in frame else name, frame
