"""Masters with workers: sums of their figures, signals, and every way to lose workers."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from tests.support.locust_lab import SOAK, WORKERS_REPORT_SECONDS, launched, reports, workers_of

BEGINS = "Soak begins on aiohttp-memory-one: Reader"


def test_workers_share_the_load_and_limits_hold_for_their_sum(tmp_path: Path) -> None:
    shape = ("--soak-users=8", "--soak-ramp=2", "--soak-time=8", "--fail-p95=0.1ms")
    with launched(tmp_path, *SOAK, "--workers", "2", "--", *shape) as running:
        assert running.wait() == 1, running.text()
    assert "valid; p95 is " in running.text()
    found = reports(tmp_path)
    assert found.data["verdict"]["valid"]
    assert found.data["verdict"]["limits_passed"]
    assert found.data["total"]["requests"] == sum(found.pages().values()) > 8
    assert max(point["user_count"] for point in found.data["history"]) == 8


@pytest.mark.parametrize(
    ("number", "lost", "how"), [(4, 1, signal.SIGKILL), (2, 1, signal.SIGTERM), (2, 2, 9)]
)
def test_lost_workers_make_the_run_invalid(
    tmp_path: Path, number: int, lost: int, how: int
) -> None:
    asked = ("--workers", str(number), "--", "--soak-users=8", "--soak-ramp=2")
    with launched(tmp_path, *SOAK, *asked) as running:
        every = workers_of(running, number)
        running.until(BEGINS)
        time.sleep(WORKERS_REPORT_SECONDS)
        for one in every[:lost]:
            one.send_signal(how)
        assert running.wait(60) == 3, running.text()
    reason = reports(tmp_path).data["verdict"]["reasons"][0]
    assert reason.startswith(f"{lost} of {number} workers lost: ")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_master_and_workers_with_the_last_figures(
    tmp_path: Path, number: signal.Signals
) -> None:
    asked = ("--workers", "2", "--", "--soak-users=8", "--soak-ramp=2")
    with launched(tmp_path, *SOAK, *asked) as running:
        both = workers_of(running, 2)
        running.until(BEGINS)
        time.sleep(WORKERS_REPORT_SECONDS)
        running.send(number)
        assert running.wait(40) == 0, running.text()
        assert not any(one.is_running() for one in both)
    found = reports(tmp_path)
    assert found.data["verdict"]["valid"], found.data["verdict"]
    assert found.data["total"]["requests"] > 8
