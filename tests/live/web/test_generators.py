"""One run of each load generator by the harness; wrk's are in tests/live/wrk."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from race.machine.process import Child
from race.saved.model import Load, UserLoad
from race.web import load as generators
from race.web.load.drive import drive
from race.web.load.generator import Target
from tests.conftest import absent
from tests.support.locust_lab import REPORT_PAGES, fake


@pytest.fixture
def server() -> Iterator[Child]:
    """A process that stands for the server, whose answers come from elsewhere."""
    child = Child([sys.executable, "-c", "import signal; signal.pause()"])
    yield child
    child.end()


def needed(name: str) -> None:
    if missing := generators.find(name).missing():
        absent(missing)


def test_locust_drives_by_a_shape(server: Child) -> None:
    needed("locust")
    users = UserLoad("Reporter", "Steps", (("steps_rate", "9"), ("steps_stages", "9:4")))
    load = Load("locust", 9, duration_s=4.0, user_load=users)
    with fake(REPORT_PAGES) as site:
        result = drive(Target(site.url, "reports", "/reports/1"), load, server, frozenset())
    sample = result.sample
    assert sample.count == sum(part.count for part in sample.by_name.values()) >= 9
    assert set(sample.by_name) <= {f"Report {number}" for number in range(1, 6)}
    assert not any(sample.errors.values())
    assert max(moment.users for moment in sample.timeline) == 9
    assert result.own_ns
    assert sample.cpu_ns["generator"] > sample.beside_ns["generator"] > 0


def test_oha_keeps_its_rate(server: Child) -> None:
    if missing := generators.find("oha").missing():
        pytest.skip(f"{missing} (it is optional)")
    with fake({}) as site:
        target = Target(site.url, "ugly", "/ugly")
        result = drive(target, Load("oha", 4, rate=50.0, duration_s=1.0), server, frozenset())
    assert result.sample.count == pytest.approx(50, abs=5)
    assert not any(result.sample.errors.values())
