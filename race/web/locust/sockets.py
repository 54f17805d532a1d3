"""Counts the connections that processes have open to an address, as the kernel lists them.

Neither the server nor its database is asked.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from race.timeouts import TIMEOUTS
from runtime.address import Address

ESTABLISHED = "01"  # as /proc/net/tcp prints a state of include/net/tcp_states.h
# /proc/net/unix has no peers. ss (iproute2) asks for them through sock_diag(7): a line is
# "u_str ESTAB 0 0 PATH INODE * PEER", where PATH and INODE belong to the end that accepted.
SS = ("ss", "--unix", "--no-header")


def open_to(address: Address, pids: Iterable[int]) -> int | None:
    """Return how many connections the processes have open to an address, or None if unknown.

    Connections of other processes to the same address do not count.
    """
    own = _sockets(pids)
    if address.path is None:
        lines = (line for name in ("tcp", "tcp6") for line in _table(name))
        return sum(_is_tcp(line, address.port, own) for line in lines)
    try:
        found = subprocess.run(
            SS, capture_output=True, text=True, timeout=TIMEOUTS.sockets, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return sum(_is_unix(line, address.path, own) for line in found.stdout.splitlines())


def _sockets(pids: Iterable[int]) -> set[str]:
    """Return the inodes of all sockets that processes hold; one that just ended holds none."""
    found: set[str] = set()
    for pid in pids:
        try:
            descriptors = list(Path(f"/proc/{pid}/fd").iterdir())
        except OSError:
            continue
        found.update(filter(None, map(_inode, descriptors)))
    return found


def _inode(descriptor: Path) -> str:
    """Return the inode of a descriptor "socket:[12345]"; "" if it is no socket, or closed."""
    try:
        target = str(descriptor.readlink())
    except OSError:
        return ""
    return target[len("socket:[") : -1] if target.startswith("socket:[") else ""


def _is_unix(line: str, path: str, own: set[str]) -> bool:
    """Return whether a line of ss is an end at the path (maybe with spaces) whose peer is ours."""
    front, _, _, peer = line.rsplit(maxsplit=3)
    return peer in own and front.split(maxsplit=4)[4:] == [path]


def _is_tcp(line: str, port: int, own: set[str]) -> bool:
    """Return whether a line "sl local_address rem_address st ..." is our end of a connection."""
    fields = line.split(maxsplit=10)
    there = int(fields[2].rpartition(":")[2], 16)
    return fields[3] == ESTABLISHED and there == port and fields[9] in own


def _table(name: str) -> Iterator[str]:
    """Yield the rows of a table of this network namespace."""
    try:
        lines = Path(f"/proc/self/net/{name}").read_text(errors="replace").splitlines()
    except OSError:  # no IPv6 here
        return
    yield from lines[1:]
