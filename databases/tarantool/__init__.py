"""Tarantool; a private server is the system's ``tarantool``."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Iterator, Optional

from databases.database import Database, Frame, Running
from databases.tarantool import server, wire
from runtime.address import Form
from runtime.paths import ROOT


class Tarantool(Database):
    """Tarantool; ``program`` is the Lua program of a private server."""

    name = "tarantool"
    form = Form(
        "TARANTOOL_URL",
        ("tarantool",),
        3301,
        "tarantool://user:password@host:port or tarantool:///path/to/socket",
    )

    def __init__(self, program: Path) -> None:
        self._program = program

    def missing(self) -> Optional[str]:
        if shutil.which("tarantool"):
            return None
        return "no tarantool: make system, or apt-get install tarantool"

    def version(self) -> Optional[str]:
        return server.version()

    def start(self, home: Path) -> Running:
        return server.start(home, self._program)

    def requests(self, buffer: bytearray) -> Iterator[Frame]:
        return wire.requests(buffer)


DATABASE = Tarantool(ROOT / "tarantool" / "init.lua")
