"""Asks a database from the harness, which has no event loop of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from race.errors import CellFailed
from race.timeouts import TIMEOUTS

Answer = TypeVar("Answer")


def ask(
    name: str, question: Coroutine[Any, Any, Answer], timeout: float = TIMEOUTS.database
) -> Answer:
    """Return the answer of a database. CellFailed in one line if it does not come in time."""
    try:
        return asyncio.run(asyncio.wait_for(question, timeout))
    except CellFailed:
        raise
    except Exception as error:  # noqa: BLE001 - each driver has an error tree of its own
        raise CellFailed(f"{name} did not answer: {type(error).__name__} {error}") from None
