"""Counts the connections that processes have open to an address, as the kernel lists them.

Neither the server nor its database is asked.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

from race.machine.proc import tree
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


def accepted(port: int, pids: Iterable[int]) -> list[int]:
    """Return how many connections to a port each process has accepted and holds open."""
    inodes = [
        line.split(maxsplit=10)[9]
        for name in ("tcp", "tcp6")
        for line in _table(name)
        if _is_established(line, 1, port)
    ]
    return [len(_sockets([pid]).intersection(inodes)) for pid in pids]


@contextmanager
def counted(pid: int, port: int, seconds: float) -> Iterator[list[int]]:
    """Count what each process of a tree has accepted, once, so many seconds after the start.

    The list stays empty if it ends before. The kernel is asked, which takes a millisecond or two.
    """
    found: list[int] = []
    timer = Timer(seconds, lambda: found.extend(accepted(port, tree(pid))))
    timer.daemon = True
    timer.start()
    try:
        yield found
    finally:
        timer.cancel()
        timer.join()


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
    """Return whether a line is our end of a connection to a port."""
    return _is_established(line, 2, port) and line.split(maxsplit=10)[9] in own


def _is_established(line: str, end: int, port: int) -> bool:
    """Return whether a line "sl local_address rem_address st ..." is a connection that has the port
    at its end 1 (here) or 2 (there).
    """
    fields = line.split(maxsplit=4)
    return fields[3] == ESTABLISHED and int(fields[end].rpartition(":")[2], 16) == port


def _table(name: str) -> Iterator[str]:
    """Yield the rows of a table of this network namespace."""
    try:
        lines = Path(f"/proc/self/net/{name}").read_text(errors="replace").splitlines()
    except OSError:  # no IPv6 here
        return
    yield from lines[1:]
