"""Ramp, and rarer faults of a run."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.locust_lab import LOCUSTFILE, REPORT_PAGES, SHORT, fake, locust, needed, reports
from tests.support.site_server import SiteServer, environment, serving, until


@pytest.fixture(scope="module")
def site() -> Iterator[SiteServer]:
    needed()
    with serving("aiohttp-memory-one", environment()) as server:
        yield server


def test_a_ramp_says_what_it_found(site: SiteServer, tmp_path: Path) -> None:
    fields = ["--ramp-first=2", "--ramp-step=2", "--ramp-time=6", "--ramp-most=4"]
    with locust(site.url, tmp_path, "--shape", "Ramp", *fields, "Reader") as running:
        assert running.wait() == 0, running.text()
    data = reports(tmp_path).data
    assert data["finding"].startswith("no knee up to 4 users (")
    assert data["finding"] in running.text()


BUSY = """
import time
from locust import task
from locustfiles.users.site_user import SiteUser

class Busy(SiteUser):
    @task
    def ask(self):
        self.client.get("/reports/1")
        began = time.monotonic()
        while time.monotonic() < began + 0.2:
            pass
"""


def test_ctrl_c_is_raised_in_no_user(tmp_path: Path) -> None:
    """Python runs a user's code nearly all the time here, and a signal comes there."""
    (tmp_path / "busy.py").write_text(BUSY)
    files = f"{LOCUSTFILE},{tmp_path / 'busy.py'}"
    with (
        fake(REPORT_PAGES) as site,
        locust(site.url, tmp_path, "-f", files, "-u", "3", "-r", "3", "Busy") as running,
    ):
        until(lambda: len(site.asked) > 6, 30.0, "nobody came")
        running.send(signal.SIGINT)
        assert running.wait(20) == 0, running.text()
    assert "Traceback" not in running.text()


def test_a_folder_that_cannot_be_is_said_before_the_run(site: SiteServer, tmp_path: Path) -> None:
    wrong = ("--shape", "Steps", "--reports", "/dev/null/x")
    with locust(site.url, tmp_path, *wrong, "Reader") as running:
        assert running.wait() == 2
    assert "locustfile: --reports /dev/null/x: Not a directory" in running.text()


def test_reports_that_do_not_fit_on_the_disk_are_one_line(site: SiteServer, tmp_path: Path) -> None:
    with locust(site.url, tmp_path, *SHORT, "4:2", "Reader", before=small_files) as running:
        assert running.wait() == 1
    reports = tmp_path / "reports"
    assert f"reports: none, cannot write in {reports}: File too large" in running.text()
    assert "Traceback" not in running.text()
    assert [one for one in reports.rglob("*") if one.is_file()] == []


def small_files() -> None:
    """Let no report fit."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
