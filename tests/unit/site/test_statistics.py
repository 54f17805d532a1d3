"""The counters of About: refreshed as long as the site is open, whatever one refresh met."""

from __future__ import annotations

import asyncio

import pytest

from data_interface.memory_store import MemoryStore
from data_interface.store import Statistics, Unavailable
from handlers import site as site_module
from handlers.render import RENDERERS
from handlers.site import Settings, Site
from handlers.timeouts import Timeouts
from tests.support.stores.bench import eventually


class Troubled(MemoryStore):
    """A store in memory whose statistics first raise these errors."""

    def __init__(self, *troubles: BaseException) -> None:
        super().__init__()
        self._troubles = list(troubles)
        self._read = 0

    async def statistics(self) -> Statistics:
        if self._troubles:
            raise self._troubles.pop(0)
        self._read += 1
        return await super().statistics()

    async def refreshed(self) -> bool:
        """Return whether the statistics were read twice since the last error."""
        return self._read > 1


def lines(store: Troubled, caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what a site on the store logs until it has read its statistics twice."""

    async def run() -> None:
        site = Site(store, RENDERERS["jinja"].load()("e", "3"), Settings(lambda: 0))
        await site.open()
        await eventually(store.refreshed, 5.0, "it refreshed no more")
        await site.close()

    caplog.clear()
    asyncio.run(run())
    return [record.getMessage() for record in caplog.records]


def test_what_a_refresh_met_is_said_and_the_next_follows(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(site_module, "TIMEOUTS", Timeouts(refresh=0.01))
    away = Unavailable("nobody answers")
    assert lines(Troubled(away), caplog) == []
    assert lines(Troubled(away, away, away), caplog) == [
        f"refreshing the statistics failed twice in a row and will be repeated: {away!r}",
        "refreshing the statistics succeeded after 3 failures",
    ]
    assert lines(Troubled(KeyError("ours"), KeyError("ours")), caplog) == [
        "refreshing the statistics failed and will be repeated",
        "refreshing the statistics succeeded after 2 failures",
    ]
