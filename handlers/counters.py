"""The statistics on About: one process reads them from the database, and all of them show them."""

from __future__ import annotations

import mmap
import struct
import zlib
from typing import Optional

from data_interface.store import Statistics

_VALUES = struct.Struct(f"={len(Statistics._fields)}q")
_CHECKSUM = struct.Struct("=I")


class OwnCounters:
    """The statistics of a server that is a single process."""

    def __init__(self) -> None:
        self._statistics: Optional[Statistics] = None

    def get(self) -> Optional[Statistics]:
        """Return the latest statistics, or None before the first."""
        return self._statistics

    def put(self, statistics: Statistics) -> None:
        """Replace the statistics."""
        self._statistics = statistics


class SharedCounters(OwnCounters):
    """The statistics of a server with workers, in memory that they share after the fork."""

    def __init__(self) -> None:
        super().__init__()
        self._memory = mmap.mmap(-1, _VALUES.size + _CHECKSUM.size)
        self._record = b""

    def get(self) -> Optional[Statistics]:
        record = self._memory[:]
        # A record that is read in the middle of a change has a wrong checksum; the last one stays.
        if record != self._record and record[_VALUES.size :] == _checksum(record[: _VALUES.size]):
            self._statistics = Statistics(*_VALUES.unpack_from(record))
            self._record = record  # last, because other threads that see it take the statistics
        return self._statistics

    def put(self, statistics: Statistics) -> None:
        values = _VALUES.pack(*statistics)
        self._memory[:] = values + _checksum(values)


def _checksum(values: bytes) -> bytes:
    return _CHECKSUM.pack(zlib.crc32(values))
