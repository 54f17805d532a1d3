"""Cleaning that does not get anywhere is heard of; an outage is the pages' to report."""

from __future__ import annotations

import asyncio
from typing import Any, List

from data_interface.sql.store import Cleaner, Upkeep
from data_interface.store import Unavailable
from tests.stores.insiders import constants

ROUND_SECONDS = 0.01


class Driver:
    """``driver.Driver`` of no database: it is reached where the list of ``answers`` says so."""

    def __init__(self, answers: List[bool]) -> None:
        self._answers = iter(answers)

    async def connect(self) -> Any:
        if not next(self._answers):
            raise Unavailable("nobody answers")

    async def disconnect(self, connection: Any) -> None:
        pass

    def translate(self, error: BaseException) -> Any:
        return None


async def said(answers: List[bool], works: List[bool], caplog: Any) -> int:
    """Warnings of a cleaning whose connects and rounds end like that."""
    rounds, over = iter(works), asyncio.Event()

    async def choose(connection: Any) -> bool:
        return True

    async def clean(connection: Any) -> None:
        works = next(rounds, None)
        if works is None:
            over.set()
            await asyncio.sleep(60)
        if not works:
            raise Unavailable("it took too long")

    caplog.clear()
    driver: Any = Driver(answers)
    upkeep = Upkeep(clean, choose, clean)
    with constants(CLEAN_EVERY_SECONDS=ROUND_SECONDS):
        task = asyncio.ensure_future(Cleaner(driver, upkeep).run())
        await asyncio.wait_for(over.wait(), 5)
        task.cancel()
        await asyncio.wait([task])
    return len(caplog.records)


async def test_the_second_failure_in_a_row_is_said_once(caplog: Any) -> None:
    yes, no = True, False
    assert await said([yes] * 9, [yes, no, no, no, no, yes], caplog) == 1
    assert "cleaning failed twice in a row" in caplog.text
    assert "it took too long" in caplog.text
    assert await said([yes] * 9, [no, yes, no, yes, no, yes], caplog) == 0
    # It was away.
    assert await said([yes, no, no, no, yes], [yes, no, yes], caplog) == 0
