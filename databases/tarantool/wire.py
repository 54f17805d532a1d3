"""Reads requests to Tarantool.

https://www.tarantool.io/en/doc/latest/reference/internals/box_protocol/
"""

from __future__ import annotations

from typing import Dict, Iterator, Tuple, Union

from databases.database import UPKEEP, Frame

REQUESTS = {
    1: "SELECT",
    2: "INSERT",
    3: "REPLACE",
    4: "UPDATE",
    5: "DELETE",
    6: "CALL_16",
    8: "EVAL",
    9: "UPSERT",
    10: "CALL",
    11: "EXECUTE",
}
# The views of spaces and indexes: drivers fetch the schema from them when they connect.
SCHEMA = (281, 289)
SPACE = 0x10
UINT_BYTES = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}


def requests(buffer: bytearray) -> Iterator[Frame]:
    while buffer:
        if len(buffer) < 1 + UINT_BYTES.get(buffer[0], 0):
            return
        length, start = uint(buffer, 0)
        if len(buffer) < start + length:
            return
        frame = bytes(buffer[start : start + length])
        del buffer[: start + length]
        yield name_of(frame), frame


def name_of(frame: bytes) -> str:
    """Return the name of a request, or "" if the frame is none."""
    fields, body = header(frame)
    name = REQUESTS.get(fields.get(0, -1), "")
    return UPKEEP if name == "SELECT" and space(frame, body) in SCHEMA else name


def uint(data: Union[bytes, bytearray], at: int) -> Tuple[int, int]:
    """Return an unsigned number in MessagePack, and the position of its end."""
    size = UINT_BYTES.get(data[at], 0)
    if size == 0:
        if data[at] >= 0x80:
            raise ValueError(f"no unsigned number in MessagePack: {data[at]:#x}")
        return data[at], at + 1
    return int.from_bytes(data[at + 1 : at + 1 + size], "big"), at + 1 + size


def header(frame: bytes) -> Tuple[Dict[int, int], int]:
    """Return the header of a request, a map of numbers, and the position of its end."""
    if frame[0] & 0xF0 != 0x80:
        raise ValueError(f"no request to Tarantool begins with {frame[0]:#x}")
    at, fields = 1, {}
    for _ in range(frame[0] & 0x0F):
        key, at = uint(frame, at)
        fields[key], at = uint(frame, at)
    return fields, at


def space(frame: bytes, body: int) -> int:
    """Return the space of a request with this body, in which drivers put it first; else -1."""
    if frame[body + 1 : body + 2] != bytes([SPACE]):
        return -1
    return uint(frame, body + 2)[0]
