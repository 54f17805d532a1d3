"""Reads requests to Valkey: https://valkey.io/topics/protocol/

A request is a list of texts: ``*2``, then for each its length and itself, ``$3`` and ``GET``, every
line with ``\\r\\n`` at its end.
"""

from __future__ import annotations

from typing import Iterator, List, Optional, Tuple

from databases.database import UPKEEP, Frame

END = b"\r\n"
# Requests about the connection: its user, name, protocol, database.
ABOUT_CONNECTION = ("AUTH", "CLIENT", "HELLO", "SELECT", "RESET", "QUIT")


def requests(buffer: bytearray) -> Iterator[Frame]:
    while buffer:
        found = first(buffer)
        if found is None:
            return
        words, length = found
        frame = bytes(buffer[:length])
        del buffer[:length]
        yield name_of(words), frame


def first(buffer: bytearray) -> Optional[Tuple[List[bytes], int]]:
    """Return the words of the first request and its length, or None while it is incomplete."""
    line = buffer.find(END)
    if line < 0:
        return None
    at, words = line + 2, []
    if buffer[:1] != b"*":
        # A command in one line, as a person types it.
        return bytes(buffer[:line]).split(), at
    for _ in range(int(buffer[1:line])):
        line = buffer.find(END, at)
        if line < 0:
            return None
        length = int(buffer[at + 1 : line])
        if len(buffer) < line + 4 + length:
            return None
        words.append(bytes(buffer[line + 2 : line + 2 + length]))
        at = line + 4 + length
    return words, at


def name_of(words: List[bytes]) -> str:
    """Return the name of a request, or "" if it only asks whether the server is there."""
    command = words[0].decode("ascii", "replace").upper() if words else "PING"
    if command == "PING":
        return ""
    return UPKEEP if command in ABOUT_CONNECTION else command
