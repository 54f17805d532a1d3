"""The connection modes of pages in threads, without a database."""

from __future__ import annotations

import time
from typing import Any

import pytest

from data_interface.connections import MOST_CONNECTIONS
from data_interface.sql.threads import ThreadPerPage, ThreadUnit


class Connection:
    """It has a deadline."""

    deadline = 0.0


class Lost:
    """A driver whose connections cannot be closed."""

    async def connect(self, seconds: float) -> Connection:
        return Connection()

    async def disconnect(self, connection: Any) -> None:
        raise OSError("lost")


def test_a_connection_that_does_not_close_frees_its_place() -> None:
    lost: Any = Lost()
    mode = ThreadPerPage(lost, 1)
    unit = ThreadUnit(mode)
    unit.deadline = time.monotonic() + 1.0
    for _ in range(MOST_CONNECTIONS + 1):
        with pytest.raises(StopIteration) as taken:
            mode.take(unit).send(None)
        with pytest.raises(OSError, match="lost"):
            mode.give_back(taken.value.value, unit, broken=False).send(None)
