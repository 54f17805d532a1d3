"""Makes the folder of a race, and reserves room on the disk before a file needs it."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
from pathlib import Path

from race.paths import RESULTS
from runtime.paths import INSTALLED

FALLOC_FL_KEEP_SIZE = 1
CANNOT = {errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL}
"""The errors of file systems that cannot reserve room beyond the size of a file."""


def make_folder(folder: Path) -> None:
    """Make a folder of results. A wheel's are in the working directory, where git ignores them."""
    folder.mkdir(parents=True, exist_ok=True)
    if INSTALLED and folder.parent == RESULTS:
        # A link that came with somebody's repository is not followed.
        with contextlib.suppress(FileExistsError), (RESULTS / ".gitignore").open("x") as file:
            file.write("*\n")


def reserve(descriptor: int, size: int) -> None:
    """Reserve so many bytes behind the end of a file, whose size stays as it is.

    Raises OSError if the disk is full. Does nothing where the file system cannot reserve room.
    """
    end = ctypes.c_long(os.fstat(descriptor).st_size)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.fallocate(descriptor, FALLOC_FL_KEEP_SIZE, end, ctypes.c_long(size)):
        number = ctypes.get_errno()
        if number not in CANNOT:
            raise OSError(number, os.strerror(number))
