"""SQLite, which has no server: the database is a file, and runs in the processes that use it."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Iterator
from urllib.parse import quote

from databases.database import Database, Frame, Running
from runtime.address import Form

FILE = "stickers.db"


def start(folder: Path) -> Running:
    """Return where the file is, in a folder that lasts; there is nothing to start."""
    return Running("sqlite://" + quote(str(folder / FILE)), os.getpid(), lambda: None)


def requests(buffer: bytearray) -> Iterator[Frame]:
    """Return nothing: there is no wire."""
    return iter(())


DATABASE = Database(
    "sqlite",
    Form("SQLITE_URL", ("sqlite",), 1, "sqlite:///path/to/file"),
    lambda: None,
    lambda: sqlite3.sqlite_version,
    start,
    requests,
    embedded=True,
)
