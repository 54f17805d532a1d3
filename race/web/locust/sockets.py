"""Connections that processes have open to an address, as the kernel lists them: neither the server
nor its database is asked.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from runtime.address import Address

# Of include/net/tcp_states.h, as /proc/net/tcp prints it.
ESTABLISHED = "01"
# /proc/net/unix has no peers. ss (iproute2) asks for them through sock_diag(7): a line is
# "u_str ESTAB 0 0 PATH INODE * PEER", where PATH and INODE are those of the end that accepted.
SS = ("ss", "--unix", "--no-header")
SS_SECONDS = 2.0


def open_to(where: Address, pids: Iterable[int]) -> int | None:
    """How many connections the processes have open to an address; None where that cannot be seen.

    Those of others to the same address are not among them.
    """
    own = _sockets(pids)
    if where.path is None:
        lines = (line for name in ("tcp", "tcp6") for line in _table(name))
        return sum(_tcp(line, where.port, own) for line in lines)
    try:
        found = subprocess.run(SS, capture_output=True, text=True, timeout=SS_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return sum(_unix(line, where.path, own) for line in found.stdout.splitlines())


def _sockets(pids: Iterable[int]) -> set[str]:
    """The inodes of all sockets that processes hold; none of those who end meanwhile."""
    found: set[str] = set()
    for pid in pids:
        try:
            descriptors = list(Path(f"/proc/{pid}/fd").iterdir())
        except OSError:
            continue
        found.update(filter(None, map(_socket, descriptors)))
    return found


def _socket(descriptor: Path) -> str:
    """The inode of a descriptor "socket:[12345]"; "" for one of another kind, or closed by now."""
    try:
        target = str(descriptor.readlink())
    except OSError:
        return ""
    return target[len("socket:[") : -1] if target.startswith("socket:[") else ""


def _unix(line: str, path: str, own: set[str]) -> bool:
    """Of ss: the end of whoever listens at the path (with spaces, maybe); its peer is ours."""
    front, _, _, peer = line.rsplit(maxsplit=3)
    return peer in own and front.split(maxsplit=4)[4:] == [path]


def _tcp(line: str, port: int, own: set[str]) -> bool:
    """sl local_address rem_address st ...: the client's end, which is on this side."""
    fields = line.split(maxsplit=10)
    there = int(fields[2].rpartition(":")[2], 16)
    return fields[3] == ESTABLISHED and there == port and fields[9] in own


def _table(name: str) -> Iterator[str]:
    """A table of this network namespace without its head."""
    try:
        lines = Path(f"/proc/self/net/{name}").read_text(errors="replace").splitlines()
    except OSError:  # no IPv6 here
        return
    yield from lines[1:]
