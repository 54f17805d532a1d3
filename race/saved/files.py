"""Files that are there as a whole or not at all, whatever ends the program or the machine."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import stat
from pathlib import Path

FALLOC_FL_KEEP_SIZE = 1
CANNOT = {errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL}
"""What file systems say that know no room without a size."""


def put(path: Path, content: bytes) -> None:
    """Write a file anew, on the disk before it takes the name; OSError, and the old one as it was,
    where that cannot be. What is no file (`/dev/stdout`) is written as it is.
    """
    path = path.resolve()
    mode = path.stat().st_mode if path.exists() else None
    if mode is not None and not stat.S_ISREG(mode):
        path.write_bytes(content)
        return
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with fresh.open("wb") as file:
            if mode is not None:
                os.fchmod(file.fileno(), stat.S_IMODE(mode))
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise
    keep_names(path.parent)


def keep_names(folder: Path) -> None:
    """The names in a folder on the disk, where its file system does that at all."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


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
