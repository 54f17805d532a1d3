"""Connections open to an address, as the kernel lists them: the database is not asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from runtime.address import Address

# Of include/net/tcp_states.h and include/uapi/linux/net.h, as /proc/net prints them.
ESTABLISHED = "01"
CONNECTED = "03"


def open_to(where: Address) -> int:
    """How many connections are open; those of others than the site are among them."""
    if where.path is not None:
        return sum(_unix(line, where.path) for line in _lines("unix"))
    return sum(_tcp(line, where.port) for name in ("tcp", "tcp6") for line in _lines(name))


def _unix(line: str, path: str) -> bool:
    """Num RefCount Protocol Flags Type St Inode Path: a server's end has the path it listens at."""
    fields = line.split(maxsplit=7)
    return len(fields) == 8 and fields[5] == CONNECTED and fields[7] == path


def _tcp(line: str, port: int) -> bool:
    """sl local_address rem_address st ...: the client's end, which is on this side."""
    fields = line.split(maxsplit=4)
    return fields[3] == ESTABLISHED and int(fields[2].rpartition(":")[2], 16) == port


def _lines(name: str) -> Iterator[str]:
    """A table of this network namespace without its head."""
    try:
        lines = Path(f"/proc/self/net/{name}").read_text(errors="replace").splitlines()
    except OSError:  # no IPv6 here
        return
    yield from (line.rstrip() for line in lines[1:])
