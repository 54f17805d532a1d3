"""Connections of a process to an address, as the kernel lists them."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from race.machine.sockets import accepted, open_to
from runtime.address import Address


def test_own_connections_are_counted(tmp_path: Path) -> None:
    """Connections of another process to the same place do not count, nor do closed ones."""
    path = str(tmp_path / "data base.sock")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        count_ends(listening, Address(path, "", 0), path)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        host, port = listening.getsockname()
        count_ends(listening, Address(None, host, port), (host, port))


def test_accepted_connections_are_counted_by_process() -> None:
    """The ends of those who connected do not count."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        where = listening.getsockname()
        pids = [os.getppid(), os.getpid()]
        assert accepted(where[1], pids) == [0, 0]
        with another(listening.family, where), listening.accept()[0]:
            with socket.create_connection(where), listening.accept()[0]:
                assert accepted(where[1], pids) == [0, 2]
            assert accepted(where[1], pids) == [0, 1]


def count_ends(listening: socket.socket, where: Address, place: Any) -> None:
    me = [os.getpid()]
    assert open_to(where, me) == 0
    with another(listening.family, place), listening.accept()[0]:
        assert open_to(where, me) == 0
        ours = [socket.socket(listening.family) for _ in range(2)]
        for one in ours:
            one.connect(place)
        ends = [listening.accept()[0] for _ in ours]
        assert open_to(where, me) == 2
        assert open_to(where, []) == 0
        for one in ends:
            one.close()
        # Our ends are still there, but no longer connected.
        assert open_to(where, me) == 0
        for one in ours:
            one.close()


@contextlib.contextmanager
def another(family: int, place: Any) -> Iterator[None]:
    """A process of its own that is connected to a place."""
    code = f"import socket; s = socket.socket({int(family)}); s.connect({place!r}); input()"
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE)
    try:
        yield
    finally:
        child.communicate(b"\n", timeout=10)


def test_without_ss_connections_are_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert open_to(Address("/nowhere", "", 0), [os.getpid()]) is None
