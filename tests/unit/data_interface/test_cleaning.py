"""Cleaning goes on after every failure and logs a row of failures once, but no short outage."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from functools import partial
from typing import Any, Iterator, List, Optional

import pytest

from data_interface.mysql import upkeep as mysql_upkeep
from data_interface.postgres import upkeep as postgres_upkeep
from data_interface.sql.store import Cleaner, Upkeep
from data_interface.store import StoreError, Unavailable
from data_interface.tries import Tries
from tests.support.stores.insiders import constants

AWAY = Unavailable("nobody answers")
DEFECT = ValueError("ours")
TWICE = "cleaning failed twice in a row and will be repeated: {!r}"


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ([AWAY, None, AWAY, None], []),
        ([AWAY] * 4 + [None], [TWICE.format(AWAY), "cleaning succeeded after 4 failures"]),
        (
            [DEFECT, DEFECT, None],
            ["cleaning failed and will be repeated", "cleaning succeeded after 2 failures"],
        ),
    ],
)
def test_a_row_of_failures_is_logged_once(
    results: List[Optional[Exception]], expected: List[str], caplog: Any
) -> None:
    """A defect of this program is logged at once, with its traceback."""
    tries = Tries(logging.getLogger("test"), "cleaning")
    for error in results:
        if error is None:
            tries.succeeded()
        else:
            tries.failed(error)
    assert [record.getMessage() for record in caplog.records] == expected
    assert ("ValueError: ours" in caplog.text) is (DEFECT in results)


class Database:
    """A driver and an upkeep in one, whose steps end with the next of these errors or well."""

    def __init__(self, *errors: Optional[Exception]) -> None:
        self._errors: Iterator[Optional[Exception]] = iter(errors)
        self.over = asyncio.Event()

    async def step(self, *_: Any) -> bool:
        with contextlib.suppress(StopIteration):
            error = next(self._errors)
            if error is not None:
                raise error
            return True
        self.over.set()
        await asyncio.sleep(60)
        return True

    connect = choose = clean = create = step

    async def disconnect(self, connection: Any) -> None:
        pass

    def translate(self, error: BaseException) -> Any:
        return None


@pytest.mark.parametrize("steps", [0, 1, 2])
async def test_a_failure_at_any_step_is_followed_by_another_try(steps: int, caplog: Any) -> None:
    """The steps are the connect, the choice of the process that cleans, and the cleaning."""
    refused = StoreError("permission denied")
    failure = [*[None] * steps, refused]
    found: Any = Database(*failure, *failure, None, None, None)
    with constants(CLEAN_EVERY_SECONDS=0.01):
        upkeep = Upkeep(found.create, found.choose, found.clean)
        task = asyncio.ensure_future(Cleaner(found, upkeep).run())
        await asyncio.wait_for(found.over.wait(), 5)
        task.cancel()
        await asyncio.wait([task])
    assert [record.getMessage() for record in caplog.records] == [
        TWICE.format(refused),
        "cleaning succeeded after 2 failures",
    ]


@pytest.mark.parametrize(
    ("clean", "batch"),
    [
        (mysql_upkeep.clean, mysql_upkeep.BATCH),
        (partial(postgres_upkeep.clean, postgres_upkeep.COLUMNS), postgres_upkeep.BATCH),
    ],
)
async def test_a_table_that_is_always_full_does_not_keep_others_from_being_cleaned(
    clean: Any, batch: int
) -> None:
    class Full:
        """A connection on which each statement deletes a whole batch, twenty times in all."""

        def __init__(self) -> None:
            self.asked: List[str] = []

        async def fetch(self, statement: str, *_: Any) -> List[List[int]]:
            self.asked.append(statement)
            return [[batch if len(self.asked) <= 20 else 0]]

    full: Any = Full()
    await clean(full)
    turns = len(set(full.asked))
    assert turns >= 3
    assert full.asked[:turns] == full.asked[turns : 2 * turns]
