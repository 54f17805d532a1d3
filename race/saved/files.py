"""Room on the disk that is reserved before a file needs it."""

from __future__ import annotations

import ctypes
import errno
import os

FALLOC_FL_KEEP_SIZE = 1
CANNOT = {errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL}
"""What file systems say that know no room without a size."""


def reserve(descriptor: int, size: int) -> None:
    """Room on the disk for so many bytes more, behind the end of a file, which stays where it is;
    OSError where the disk is full. Where the file system knows nothing of the kind, nothing is.
    """
    end = ctypes.c_long(os.fstat(descriptor).st_size)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.fallocate(descriptor, FALLOC_FL_KEEP_SIZE, end, ctypes.c_long(size)):
        number = ctypes.get_errno()
        if number not in CANNOT:
            raise OSError(number, os.strerror(number))
