"""The server's own counts, which cost nothing without SITE_FIGURES, and the samples of them."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from data_interface.connections import ConnectionPerPage, ConnectionPerQuery, mode
from data_interface.pools import GatedPool
from data_interface.watch import ProcessCounts, WatchedMode
from race.load.generator import WatchedProcesses
from race.web.locust.sampler import Sampler, own_counts
from tests.support.faults.disk import largest_file


class Connection:
    async def fetch(self, what: str) -> str:
        await asyncio.sleep(0)
        return what


class Driver:
    """The parts of a driver that a mode needs; connecting waits for `door`."""

    multiplexed = False

    def __init__(self) -> None:
        self.door = asyncio.Event()
        self.door.set()

    async def connect(self) -> Connection:
        await self.door.wait()
        return Connection()

    def pool(self, size: int) -> None:
        return None

    async def disconnect(self, connection: Any) -> None:
        """Nothing to end."""

    def is_open(self, connection: Any) -> bool:
        return True

    def data(self, connection: Any) -> Any:
        return connection

    def translate(self, error: BaseException) -> None:
        return None


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SITE_FIGURES", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("name", "kind"),
    [("gate", GatedPool), ("multi", ConnectionPerPage), ("query", ConnectionPerQuery)],
)
def test_a_site_that_nobody_watches_is_as_it_was(name: str, kind: type) -> None:
    driver: Any = Driver()
    found = mode(name, driver, 2)
    assert type(found) is kind
    assert found.driver is driver
    assert "take" not in vars(found)
    assert "take" not in vars(found.waiting_mode)


@pytest.mark.parametrize("name", ["gate", "multi", "query"])
def test_pages_requests_and_waits_are_counted(name: str, folder: Path) -> None:
    async def pages() -> None:
        driver: Any = Driver()
        found = mode(name, driver, 1)
        assert isinstance(found, WatchedMode)
        await found.open()
        base = found._figures.counts["pages"]
        driver.door.clear()
        if name == "gate":
            # The one connection is there already: a page holds it, and the next one waits.
            driver.door.set()

        async def page(held: asyncio.Event) -> None:
            async with found.acquire() as data:
                await held.wait()
                await data.fetch("a")  # type: ignore[attr-defined]
                await data.fetch("b")  # type: ignore[attr-defined]

        held = asyncio.Event()
        both = [asyncio.ensure_future(page(held)) for _ in range(2)]
        if name == "query":
            held.set()
        await asyncio.sleep(0.02)
        assert found._figures.counts["waiting"] == (1 if name == "gate" else 2)
        driver.door.set()
        held.set()
        await asyncio.gather(*both)
        assert found._figures.counts["waiting"] == 0
        assert found._figures.counts["pages"] - base == 2
        assert found._figures.counts["requests"] == 4
        found._figures.write(folder)
        await found.close()

    asyncio.run(pages())
    written = json.loads((folder / f"{os.getpid()}.json").read_text())
    assert (written["requests"], written["waiting"]) == (4, 0)
    assert own_counts(folder, "requests") == {str(os.getpid()): 4.0}


class SlowSum(int):
    """A number whose sum takes so long that other threads read the old one meanwhile."""

    def __add__(self, other: int) -> SlowSum:
        time.sleep(0.001)
        return SlowSum(int(self) + other)


def test_threads_lose_no_count() -> None:
    figures = ProcessCounts()
    figures.counts["pages"] = SlowSum(0)

    def pages() -> None:
        for _ in range(20):
            figures.add("pages")

    threads = [threading.Thread(target=pages) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert figures.counts["pages"] == 80


def test_figures_of_a_folder_that_is_gone_disturb_nobody(folder: Path) -> None:
    async def outlive() -> None:
        driver: Any = Driver()
        found = mode("gate", driver, 1)
        await found.open()
        await asyncio.sleep(0.02)
        async with found.acquire():
            """A page all the same."""
        await found.close()

    folder.rmdir()
    asyncio.run(outlive())


def test_a_sample_has_differences(tmp_path: Path) -> None:
    sampler = Sampler(tmp_path / "samples", WatchedProcesses(os.getpid()), tmp_path)
    counts = tmp_path / f"{os.getpid()}.json"
    counts.write_text('{"pages": 10, "requests": 90, "waiting": 3}')
    (tmp_path / "999999999.json").write_text('{"pages": 5, "requests": 5, "waiting": 5}')
    sampler.sample_when_due()
    counts.write_text('{"pages": 12, "requests": 107, "waiting": 0}')
    sampler.sample_when_due()
    sampler._due = 0
    sampler.sample_when_due()
    first, second = map(json.loads, (tmp_path / "samples").read_text().splitlines())
    assert (first["server_cpu"], first["requests_per_page"], first["waiting"]) == (None, None, 3)
    assert (second["requests_per_page"], second["waiting"]) == (8.5, 0)
    assert second["server_cpu"] > 0
    assert second["database_cpu"] is second["connections"] is None


def test_a_full_disk_costs_a_sample_and_tears_none(tmp_path: Path) -> None:
    sampler = Sampler(tmp_path / "samples", WatchedProcesses(os.getpid()), tmp_path)
    sampler.sample_when_due()
    for size in (1, 20):
        sampler._due = 0
        with largest_file((tmp_path / "samples").stat().st_size + size):
            sampler.sample_when_due()
    sampler._due = 0
    sampler.sample_when_due()
    lines = (tmp_path / "samples").read_text().splitlines()
    assert len([json.loads(line) for line in lines]) == 2
