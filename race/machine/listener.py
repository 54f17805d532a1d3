"""Which process serves an address on this machine: for databases that the race did not start."""

from __future__ import annotations

import ipaddress
import os
import socket
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

LISTENING = "0A"
DEFAULT_PORTS = {"tarantool": 3301, "postgresql": 5432, "postgres": 5432}


def pid_of(url: str) -> int | None:
    """The oldest process that listens where a database URL points; None when it is not ours to see.

    Addresses of other machines have none; nor have processes of other users, unless we are root.
    """
    inodes = _inodes(url)
    if not inodes:
        return None
    found = [pid for pid in _processes() if inodes & _sockets(pid)]
    return min(found, key=_began, default=None)


def _inodes(url: str) -> set[str]:
    parts = urlsplit(url)
    folder = parse_qs(parts.query).get("host", [""])[0]
    port = parts.port or DEFAULT_PORTS.get(parts.scheme, 0)
    if folder.startswith("/"):
        return _unix_inodes(f"{folder}/.s.PGSQL.{port}")
    if not parts.hostname:
        return _unix_inodes(unquote(parts.path))
    return _tcp_inodes(port) if _is_here(parts.hostname) else set()


def _is_here(host: str) -> bool:
    try:
        addresses = {entry[4][0] for entry in socket.getaddrinfo(host, None)}
    except OSError:
        return False
    return any(ipaddress.ip_address(str(one).partition("%")[0]).is_loopback for one in addresses)


def _tcp_inodes(port: int) -> set[str]:
    found = set()
    for name in ("tcp", "tcp6"):
        for line in _lines(Path("/proc/net") / name):
            fields = line.split()
            if fields[3] == LISTENING and int(fields[1].rpartition(":")[2], 16) == port:
                found.add(fields[9])
    return found


def _unix_inodes(path: str) -> set[str]:
    return {line.split()[6] for line in _lines(Path("/proc/net/unix")) if line.endswith(" " + path)}


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()[1:]
    except OSError:  # no IPv6
        return []


def _processes() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _sockets(pid: int) -> set[str]:
    found = set()
    try:
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            target = str(descriptor.readlink())
            if target.startswith("socket:["):
                found.add(target[8:-1])
    except OSError:  # ended meanwhile, or of another user
        return found
    return found


def _began(pid: int) -> int:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(fields[19])
