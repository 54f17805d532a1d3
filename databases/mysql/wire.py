"""Reads requests to MariaDB: https://mariadb.com/kb/en/clientserver-protocol/

A packet is three bytes of length, one of its number within an exchange, and the payload. A request
has number 0; what a client sends later in an exchange (its answer to the greeting, the rest of a
request of 16 MB) has another.
"""

from __future__ import annotations

from typing import Iterator

from databases.database import UPKEEP, Frame

HEADER = 4
QUERY = 0x03
# Requests by the first byte of the payload. The other commands close the connection, ping, or have
# no answer.
REQUESTS = {
    QUERY: "Query",
    0x17: "Execute",
    0x1C: "Fetch",
    0xFA: "BulkExecute",
    # Requests about the connection: its database, the fields of a table, statistics, its user, the
    # preparation and the reset of a statement, its options, its own reset.
    0x02: UPKEEP,
    0x04: UPKEEP,
    0x09: UPKEEP,
    0x11: UPKEEP,
    0x16: UPKEEP,
    0x1A: UPKEEP,
    0x1B: UPKEEP,
    0x1F: UPKEEP,
}
# Queries that drivers send by themselves: for settings, and for the warnings of a statement.
BY_ITSELF = (b"SET ", b"SHOW WARNINGS")


def requests(buffer: bytearray) -> Iterator[Frame]:
    while len(buffer) >= HEADER:
        length = HEADER + int.from_bytes(buffer[:3], "little")
        if len(buffer) < length:
            return
        frame = bytes(buffer[:length])
        del buffer[:length]
        yield name_of(frame), frame


def name_of(frame: bytes) -> str:
    """Return the name of a request, or "" if the frame is none."""
    if frame[3] != 0 or len(frame) == HEADER:
        return ""
    if frame[HEADER] == QUERY and frame[HEADER + 1 :].upper().startswith(BY_ITSELF):
        return UPKEEP
    return REQUESTS.get(frame[HEADER], "")
