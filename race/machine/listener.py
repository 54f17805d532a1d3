"""Finds the process that serves an address of this machine, for databases of the user."""

from __future__ import annotations

import ipaddress
import socket

import psutil

from runtime.address import Address


def pid_of(address: Address) -> int | None:
    """Return the oldest process that listens there; None if we may not see it.

    Addresses of other machines have none; nor have processes of other users, unless we are root.
    """
    if address.path is None and not _is_here(address.host):
        return None
    found = [process for process in psutil.process_iter() if _serves(process, address)]
    oldest = min(found, key=psutil.Process.create_time, default=None)
    return oldest.pid if oldest else None


def _serves(process: psutil.Process, address: Address) -> bool:
    try:
        if address.path is not None:
            return any(str(one.laddr) == address.path for one in process.net_connections("unix"))
        listening = [one for one in process.net_connections("tcp") if one.status == "LISTEN"]
        return any(one.laddr.port == address.port for one in listening)
    except psutil.Error:  # ended meanwhile, or of another user
        return False


def _is_here(host: str) -> bool:
    try:
        addresses = {entry[4][0] for entry in socket.getaddrinfo(host, None)}
    except OSError:
        return False
    return any(ipaddress.ip_address(str(one).partition("%")[0]).is_loopback for one in addresses)
