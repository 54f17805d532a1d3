"""Counts log-ins that were tried and forms that were sent, for all workers of a server together.

The memory is shared by the processes that are forked after it was made.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import struct
import tempfile
import time
import weakref
import zlib
from ipaddress import ip_address
from pathlib import Path

ATTEMPTS_AT_ONCE = 10
ATTEMPT_SECONDS = 6.0
SLOTS = 4096

_MOMENT = struct.Struct("d")
_NUMBER_BYTES = 16


class Attempts:
    """Limits attempts to log in: so many at once from an address, then one in ATTEMPT_SECONDS.

    A slot keeps the moment at which all attempts of its addresses will have been paid for (the
    generic cell rate algorithm). Addresses that fall into the same slot share it.
    """

    def __init__(self) -> None:
        self._moments = mmap.mmap(-1, SLOTS * _MOMENT.size)

    def wait(self, address: str) -> float:
        """Count an attempt and return 0.0, or return the seconds until one is allowed."""
        now, place = time.monotonic(), self._place(address)
        paid = max(now, _MOMENT.unpack_from(self._moments, place)[0])
        late: float = paid - now - (ATTEMPTS_AT_ONCE - 1) * ATTEMPT_SECONDS
        if late > 0:
            return late
        _MOMENT.pack_into(self._moments, place, paid + ATTEMPT_SECONDS)
        return 0.0

    def forgive(self, address: str) -> None:
        """Forget the attempts of an address, whose last one was right."""
        _MOMENT.pack_into(self._moments, self._place(address), 0.0)

    def _place(self, address: str) -> int:
        return zlib.crc32(_network(address).encode("utf-8", "replace")) % SLOTS * _MOMENT.size


def _network(address: str) -> str:
    """Return the address; of IPv6 the first half, as one customer has all of the second."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    return str(found) if found.version == 4 else found.exploded[:19]


class SentForms:
    """The forms that were sent, so that one which is sent twice creates one thing.

    A form is forgotten when a later one takes its slot.
    """

    def __init__(self) -> None:
        self._numbers = mmap.mmap(-1, SLOTS * _NUMBER_BYTES)
        # A file for its lock, which unlike a semaphore is free again when its holder is killed.
        self._file, path = tempfile.mkstemp()
        Path(path).unlink()
        weakref.finalize(self, os.close, self._file)

    def claim(self, number: str) -> bool:
        """Return whether this form comes for the first time."""
        wanted = bytes.fromhex(number)
        place = zlib.crc32(wanted) % SLOTS * _NUMBER_BYTES
        fcntl.lockf(self._file, fcntl.LOCK_EX)
        try:
            slot = slice(place, place + _NUMBER_BYTES)
            new = self._numbers[slot] != wanted
            self._numbers[slot] = wanted
            return new
        finally:
            fcntl.lockf(self._file, fcntl.LOCK_UN)
