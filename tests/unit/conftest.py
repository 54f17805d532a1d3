"""Keeps the tests of this folder pure: one that starts a process or opens a socket fails."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from typing import Any

import pytest

FORBIDDEN = {"os.fork", "os.posix_spawn", "socket.bind", "socket.connect", "subprocess.Popen"}
_running: list[str] = []


def _audit(event: str, _arguments: tuple[Any, ...]) -> None:
    if _running and event in FORBIDDEN:
        raise RuntimeError(f"a unit test caused {event}: it belongs into tests/live")


def pytest_collection_finish() -> None:
    """Spare the garbage collector the modules and tests, which all stay."""
    gc.collect()
    gc.freeze()


sys.addaudithook(_audit)  # cannot be removed, so it looks whether a unit test runs


@pytest.fixture(autouse=True)
def pure(request: pytest.FixtureRequest) -> Iterator[None]:
    """Refuse processes and sockets while a test of this folder runs."""
    _running.append(request.node.nodeid)
    yield
    _running.clear()
