"""wrk, and a server whose faults are known."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import absent
from tests.support.wrk_lab import FaultyServer


@pytest.fixture(autouse=True)
def needs_wrk() -> None:
    if shutil.which("wrk") is None:
        absent("wrk is not installed: apt-get install wrk")


@pytest.fixture
def server() -> Iterator[FaultyServer]:
    running = FaultyServer()
    yield running
    running.close()


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A folder that a Unix socket can be in."""
    with tempfile.TemporaryDirectory(prefix="wrk-") as folder:
        yield Path(folder)
