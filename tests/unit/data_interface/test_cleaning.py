"""Cleaning that does not get anywhere is heard of, once; a moment's outage is the pages' alone."""

from __future__ import annotations

import asyncio
from typing import Any, List, Optional

from data_interface.sql.store import Cleaner, Upkeep
from data_interface.store import StoreError, Unavailable
from tests.support.stores.insiders import constants

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


async def said(answers: List[bool], works: List[Optional[BaseException]], caplog: Any) -> List[str]:
    """Warnings of a cleaning whose connects and rounds end like that."""
    rounds, over = iter(works), asyncio.Event()

    async def choose(connection: Any) -> bool:
        return True

    async def clean(connection: Any) -> None:
        for trouble in rounds:
            if trouble is not None:
                raise trouble
            return
        over.set()
        await asyncio.sleep(60)

    caplog.clear()
    driver: Any = Driver(answers)
    upkeep = Upkeep(clean, choose, clean)
    with constants(CLEAN_EVERY_SECONDS=ROUND_SECONDS):
        task = asyncio.ensure_future(Cleaner(driver, upkeep).run())
        await asyncio.wait_for(over.wait(), 5)
        task.cancel()
        await asyncio.wait([task])
    return [record.getMessage() for record in caplog.records]


async def test_the_second_failure_in_a_row_is_said_once(caplog: Any) -> None:
    yes, no, well, slow = True, False, None, Unavailable("it took too long")
    lines = await said([yes] * 9, [well, slow, slow, slow, slow, well], caplog)
    assert lines[0].startswith("cleaning failed twice in a row and will be repeated: ")
    assert "it took too long" in lines[0]
    assert lines[1:] == ["cleaning succeeded after 4 failures"]
    assert await said([yes] * 9, [slow, well, slow, well, slow, well], caplog) == []
    # It was away for a moment, and then for longer.
    assert await said([yes, no, yes], [Unavailable("lost"), well], caplog) != []
    assert await said([no, yes], [well], caplog) == []
    assert "nobody answers" in (await said([no, no, no, yes], [well], caplog))[0]


async def test_a_defect_is_said_at_once_with_its_place(caplog: Any) -> None:
    """It is logged once, however long it lasts, and the cleaning continues."""
    lines = await said([True] * 9, [ValueError("ours"), ValueError("ours"), None], caplog)
    assert lines == [
        "cleaning failed and will be repeated",
        "cleaning succeeded after 2 failures",
    ]
    assert "ValueError: ours" in caplog.text


async def test_who_cannot_be_chosen_says_so(caplog: Any) -> None:
    """A process that is refused differs from one that is not chosen."""
    rounds, enough = iter(range(4)), asyncio.Event()

    async def choose(connection: Any) -> bool:
        if next(rounds, None) is None:
            enough.set()
        raise StoreError("permission denied")

    async def clean(connection: Any) -> None:
        raise AssertionError

    driver: Any = Driver([True] * 9)
    with constants(CLEAN_EVERY_SECONDS=ROUND_SECONDS):
        task = asyncio.ensure_future(Cleaner(driver, Upkeep(clean, choose, clean)).run())
        await asyncio.wait_for(enough.wait(), 5)
        task.cancel()
        await asyncio.wait([task])
    assert [record.getMessage() for record in caplog.records] == [
        "cleaning failed twice in a row and will be repeated: StoreError('permission denied')"
    ]
