"""A master and its workers: a lost worker makes the run INVALID."""

from __future__ import annotations

import signal
import time
from pathlib import Path

from tests.support.locust_lab import SOAK, WORKERS_REPORT_SECONDS, launched, reports, workers_of


def test_a_lost_worker_makes_the_run_invalid(tmp_path: Path) -> None:
    asked = ("--workers", "2", "--", "--soak-users=8", "--soak-ramp=2")
    with launched(tmp_path, *SOAK, *asked) as running:
        lost, _ = workers_of(running, 2)
        running.until("Soak begins on aiohttp-memory-one: Reader")
        time.sleep(WORKERS_REPORT_SECONDS)
        lost.send_signal(signal.SIGKILL)
        assert running.wait(60) == 3, running.text()
    found = reports(tmp_path)
    reason = "1 of 2 workers lost: "
    verdict = found.data["verdict"]
    assert not verdict["valid"]
    assert verdict["reasons"][0].startswith(reason)
    assert f"INVALID: {reason}" in running.text()
    assert f"INVALID: {reason}" in found.page
    for name in ("requests", "history", "server"):
        rows = found.table(name)
        assert rows
        assert all(row["Verdict"].startswith(f"INVALID: {reason}") for row in rows)
    assert found.data["total"]["requests"] > 0
