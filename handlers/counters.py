"""The statistics that About shows: read from the database by one process, seen by all."""

from __future__ import annotations

import mmap
import struct
import zlib
from typing import Optional

from typing_extensions import Protocol

from data_interface.store import Statistics

_VALUES = struct.Struct(f"={len(Statistics._fields)}q")
_CHECK = struct.Struct("=I")


class Counters(Protocol):
    """Where the statistics of a few seconds ago are kept."""

    def get(self) -> Optional[Statistics]:
        """The last that were put; None before the first."""

    def put(self, statistics: Statistics) -> None:
        """Replace them."""


class OwnCounters:
    """Of a server that is one process."""

    def __init__(self) -> None:
        self._statistics: Optional[Statistics] = None

    def get(self) -> Optional[Statistics]:
        return self._statistics

    def put(self, statistics: Statistics) -> None:
        self._statistics = statistics


class SharedCounters:
    """Of a server with worker processes: in memory that a fork does not copy. One of them puts."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _VALUES.size + _CHECK.size)
        self._seen = b""
        self._statistics: Optional[Statistics] = None

    def get(self) -> Optional[Statistics]:
        record = self._memory[:]
        # Read in the middle of a change, its sum is wrong: what was there before is as good.
        if record != self._seen and record[_VALUES.size :] == _sum(record[: _VALUES.size]):
            self._seen = record
            self._statistics = Statistics(*_VALUES.unpack_from(record))
        return self._statistics

    def put(self, statistics: Statistics) -> None:
        values = _VALUES.pack(*statistics)
        self._memory[:] = values + _sum(values)


def _sum(values: bytes) -> bytes:
    return _CHECK.pack(zlib.crc32(values))
