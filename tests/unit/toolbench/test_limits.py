"""The check of the limits' pages, and the plan of their races."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from data_interface.store import StoreError
from data_interface.tarantool.layout import SESSIONS
from race.errors import RaceError
from race.plan.read import from_json
from race.run.race import prepare
from toolbench.drivers import DRIVERS
from toolbench.limits import pages

RACE = {
    "name": "x",
    "title": "t",
    "discipline": "tools",
    "operations": ["objects"],
    "load": {"generator": "wrk"},
}


class FakeTarantool:
    """Twenty stickers and one session."""

    def __init__(self, **wrong: int) -> None:
        self.stickers = [(number, 1, "", number % 7) for number in range(1, 21)]
        self.visits, self.wrong = 0, wrong

    def select(self, space: int, key: Any = (), **options: int) -> list[tuple[Any, ...]]:
        if space == SESSIONS:
            return [(*pages.SESSION[:3], self.visits)]
        options = {**options, **(self.wrong if options["limit"] == pages.ROWS else {})}
        rows = sorted(self.stickers)
        if "index" in options:
            rows.sort(key=lambda row: (row[3], row[0]), reverse=True)
        first = options.get("offset", 0)
        return rows[first : first + options["limit"]]

    def upsert(self, space: int, row: Any, changes: Any) -> None:
        self.visits += self.wrong.get("visits", 1)


class AsyncTarantool:
    """The same, awaited."""

    def __init__(self, **wrong: int) -> None:
        self._same = FakeTarantool(**wrong)

    async def select(self, *words: Any, **options: int) -> Any:
        return self._same.select(*words, **options)

    async def upsert(self, *words: Any) -> None:
        self._same.upsert(*words)


def test_pages_that_read_and_count_what_they_should_are_right() -> None:
    asyncio.run(pages.check(FakeTarantool(), AsyncTarantool()))


@pytest.mark.parametrize(
    ("blocking", "connection", "complaint"),
    [
        ({"limit": 0}, {}, "select-sync reads 0 rows, not 9"),
        ({"offset": 1}, {}, "select-sync reads other rows than it should"),
        ({}, {"limit": 0}, "select-async reads 0 rows, not 9"),
        ({}, {"offset": 1}, "select-async reads other rows than it should"),
        ({}, {"visits": 0}, "upsert-async counts 0 visits, not 1"),
    ],
)
def test_a_page_that_does_something_else_is_refused(
    blocking: Mapping[str, int], connection: Mapping[str, int], complaint: str
) -> None:
    with pytest.raises(StoreError, match=f"^/{complaint}$"):
        asyncio.run(pages.check(FakeTarantool(**blocking), AsyncTarantool(**connection)))


def test_a_missing_interpreter_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, driver in DRIVERS.items():
        monkeypatch.setitem(DRIVERS, name, replace(driver, python="3.2"))
    with pytest.raises(RaceError, match=r"no environment for CPython 3\.2: make env"):
        prepare(from_json({**RACE, "drivers": ["*"]}))
