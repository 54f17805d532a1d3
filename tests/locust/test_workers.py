"""A master and its workers: a worker that is lost does not pass silently."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import psutil
import pytest

from tests.support.locust_lab import Running, launched, reports
from tests.support.site_server import until

# Figures of workers come every 3 s.
RUN_SECONDS = 5.0
SOAK = ("--engine", "aiohttp-memory-one", "--user", "Reader", "--headless", "--shape", "Soak")


def workers_of(running: Running, number: int) -> list[psutil.Process]:
    """The worker processes, once all are there."""

    until(lambda: len(running.named("--worker")) == number, 40.0, "not all workers")
    return running.named("--worker")


def test_workers_share_the_load_and_all_is_counted(tmp_path: Path) -> None:
    shape = ("--workers", "2", "--", "--soak-users=8", "--soak-ramp=2", "--soak-time=8")
    with launched(tmp_path, *SOAK, *shape) as running:
        assert running.wait() == 0, running.text()
    found = reports(tmp_path)
    assert found.data["verdict"]["valid"]
    assert found.data["total"]["requests"] == sum(found.pages().values()) > 8
    assert max(point["user_count"] for point in found.data["history"]) == 8


@pytest.mark.parametrize(
    ("number", "how"), [(2, signal.SIGKILL), (4, signal.SIGKILL), (2, signal.SIGTERM)]
)
def test_a_lost_worker_makes_the_run_invalid(
    tmp_path: Path, number: int, how: signal.Signals
) -> None:
    asked = ("--workers", str(number), "--", "--soak-users=8", "--soak-ramp=2")
    with launched(tmp_path, *SOAK, *asked) as running:
        lost, *_ = workers_of(running, number)
        running.until("Soak begins: Reader")
        time.sleep(RUN_SECONDS)
        lost.send_signal(how)
        assert running.wait(60) == 3, running.text()
    found = reports(tmp_path)
    reason = f"1 of {number} workers lost: "
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


def test_all_workers_lost_end_the_run(tmp_path: Path) -> None:
    asked = ("--workers", "2", "--", "--soak-users=8", "--soak-ramp=2")
    with launched(tmp_path, *SOAK, *asked) as running:
        both = workers_of(running, 2)
        running.until("Soak begins: Reader")
        time.sleep(RUN_SECONDS)
        for one in both:
            one.kill()
        assert running.wait(60) == 3, running.text()
    assert reports(tmp_path).data["verdict"]["reasons"][0].startswith("2 of 2 workers lost: ")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_master_and_workers_with_the_last_figures(
    tmp_path: Path, number: signal.Signals
) -> None:
    asked = ("--workers", "2", "--", "--soak-users=8", "--soak-ramp=2")
    with launched(tmp_path, *SOAK, *asked) as running:
        both = workers_of(running, 2)
        running.until("Soak begins: Reader")
        time.sleep(RUN_SECONDS)
        running.send(number)
        assert running.wait(40) == 0, running.text()
        assert not any(one.is_running() for one in both)
    found = reports(tmp_path)
    assert found.data["verdict"]["valid"], found.data["verdict"]
    assert found.data["total"]["requests"] > 8


@pytest.mark.parametrize(
    ("limits", "status", "said"),
    [
        (["--fail-p95=0.1ms"], 1, "valid; p95 is "),
        (["--fail-p95=20s", "--fail-ratio=1%"], 0, "valid\n"),
    ],
)
def test_limits_hold_for_the_sum_of_all_workers(
    tmp_path: Path, limits: list[str], status: int, said: str
) -> None:
    shape = ("--soak-users=4", "--soak-ramp=2", "--soak-time=6")
    with launched(tmp_path, *SOAK, "--workers", "2", "--", *shape, *limits) as running:
        assert running.wait() == status, running.text()
    assert said in running.text()
    assert bool(reports(tmp_path).data["verdict"]["limits_passed"]) == bool(status)
