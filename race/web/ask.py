"""Asking a database from the harness, which has no event loop of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from race.errors import CellFailed

SECONDS = 5.0

Answer = TypeVar("Answer")


def ask(name: str, question: Coroutine[Any, Any, Answer], seconds: float = SECONDS) -> Answer:
    """The answer within so many seconds; CellFailed in one line otherwise."""
    try:
        return asyncio.run(asyncio.wait_for(question, seconds))
    except CellFailed:
        raise
    except Exception as error:  # noqa: BLE001 - each driver has an error tree of its own
        raise CellFailed(f"{name} did not answer: {type(error).__name__} {error}") from None
