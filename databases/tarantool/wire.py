"""What Tarantool is asked: https://www.tarantool.io/en/doc/latest/reference/internals/box_protocol/"""

from __future__ import annotations

from typing import Dict, Iterator, Tuple, Union

from databases.database import Frame

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
UINT_BYTES = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}


def requests(buffer: bytearray) -> Iterator[Frame]:
    """See ``Database.requests``."""
    while buffer:
        if len(buffer) < 1 + UINT_BYTES.get(buffer[0], 0):
            return
        length, start = uint(buffer, 0)
        if len(buffer) < start + length:
            return
        frame = bytes(buffer[start : start + length])
        del buffer[: start + length]
        yield REQUESTS.get(header(frame).get(0, -1), ""), frame


def uint(data: Union[bytes, bytearray], at: int) -> Tuple[int, int]:
    """An unsigned number in MessagePack, and where it ends."""
    size = UINT_BYTES.get(data[at], 0)
    if size == 0:
        if data[at] >= 0x80:
            raise ValueError(f"no unsigned number in MessagePack: {data[at]:#x}")
        return data[at], at + 1
    return int.from_bytes(data[at + 1 : at + 1 + size], "big"), at + 1 + size


def header(frame: bytes) -> Dict[int, int]:
    """The header of a request: a small map of numbers."""
    if frame[0] & 0xF0 != 0x80:
        raise ValueError(f"no request to Tarantool begins with {frame[0]:#x}")
    at, fields = 1, {}
    for _ in range(frame[0] & 0x0F):
        key, at = uint(frame, at)
        fields[key], at = uint(frame, at)
    return fields
