"""The session of `make locust`: site, database and Locust together, and an end in order."""

from __future__ import annotations

import signal
import socket
from pathlib import Path

import pytest

from race.errors import RaceError
from race.web.locust.launcher import check_port
from tests.support.locust_lab import MEMORY, SHORT, gone, launched, reports
from tests.support.site_server import Databases


def test_a_headless_run_has_what_server_and_database_did(
    databases: Databases, tmp_path: Path
) -> None:
    databases.hold("postgres")
    asked = ("--engine", "aiohttp-postgres-pool", "--user", "Voter", "--headless", *SHORT[:2])
    env = databases.env(POOL_SIZE="3")
    with launched(tmp_path, *asked, "--", *SHORT[2:], "12:8", env=env) as running:
        running.until("site: http://")
        below = running.below()
        assert running.wait() == 0, running.text()
        gone(running, below)
    found = reports(tmp_path)
    rows = found.table("server")
    assert len(rows) >= 5
    assert {row["Engine"] for row in rows} == {"aiohttp-postgres-pool"}
    assert max(float(row["server_cpu"] or 0) for row in rows) > 0
    assert max(float(row["database_cpu"] or 0) for row in rows) > 0
    # Three connections of the pool and one for the housekeeping.
    assert max(int(row["connections"]) for row in rows) == 4
    assert all(float(row["waiting"]) >= 0 for row in rows)
    ratios = [float(row["requests_per_page"]) for row in rows if row["requests_per_page"]]
    assert 1 < sum(ratios) / len(ratios) <= 9
    assert "Server and database" in found.page


def test_ctrl_c_before_anything_began_is_quiet(tmp_path: Path) -> None:
    asked = ("--headless", "--shape", "Soak", "--workers", "1")
    with launched(tmp_path, *MEMORY, *asked) as running:
        running.until("site: http://")
        running.send(signal.SIGINT)
        running.wait(40)
    assert "Traceback" not in running.text()


def test_a_mistake_is_said_in_one_line(tmp_path: Path) -> None:
    wrong = ("--engine", "aiohtp-memory-one", "--headless", "--shape", "Steps")
    with launched(tmp_path, *wrong) as running:
        assert running.wait() == 1, running.text()
    assert "did you mean" in running.text()
    assert "Traceback" not in running.text()


def test_a_port_that_is_taken_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        with pytest.raises(RaceError, match=f"^port {number}: Address already in use; try another"):
            check_port(number)
