"""Files that are written as a whole or not at all, whatever ends the program or the machine."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import Optional


def write_atomically(path: Path, content: bytes, follow: bool = True) -> None:
    """Write a file through a temporary one, so that a reader finds the old content or the new.

    The content is on the disk before it takes the name, and an existing file keeps its mode. What
    is no regular file, such as `/dev/stdout`, is written directly. Raises OSError, and the old file
    is then unchanged. `follow`: write through a symbolic link, in place of replacing it, which is
    right for a path that a person gave and wrong in a folder that came from elsewhere.
    """
    path = path.resolve() if follow else path.parent.resolve() / path.name
    kept = path.exists() and not path.is_symlink()
    mode: Optional[int] = path.stat().st_mode if kept else None
    if mode is not None and not stat.S_ISREG(mode):
        path.write_bytes(content)
        return
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with contextlib.suppress(FileNotFoundError):
        temporary.unlink()
    try:
        with temporary.open("xb") as file:
            if mode is not None:
                os.fchmod(file.fileno(), stat.S_IMODE(mode))
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Force the names in a folder to the disk, where its file system supports that."""
    with contextlib.suppress(OSError):
        descriptor = os.open(str(folder), os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
