"""wrk, and a server whose faults are known."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

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
