"""One run of each load generator by the harness; wrk's are in tests/live/wrk."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar

import pytest

from race import load as generators
from race.load.drive import drive
from race.load.generator import Target
from race.machine.process import Child
from race.saved.model import Load, UserLoad
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
        result = drive(Target(site.url, "/reports/1"), load, server, frozenset())
    sample = result.sample
    assert sample.count == sum(part.count for part in sample.by_name.values()) >= 9
    assert set(sample.by_name) <= {f"Report {number}" for number in range(1, 6)}
    assert not any(sample.errors.values())
    assert max(moment.users for moment in sample.timeline) == 9
    assert result.own_ns
    assert sample.cpu_ns["generator"] > sample.beside_ns["generator"] > 0


def test_h2load_counts_answers_and_refusals(server: Child) -> None:
    needed("h2load")
    load = Load("h2load", 4, duration_s=0.3)
    with fake({"/ugly": (200, "ugly")}) as site:
        answered = drive(Target(site.url, "/ugly"), load, server, frozenset())
        refused = drive(Target(site.url, "/nowhere"), load, server, frozenset())
    assert answered.sample.count == sum(count for _, count in answered.sample.histogram) > 0
    assert not any(answered.sample.errors.values())
    assert (refused.sample.count, refused.sample.errors["read"]) == (0, 0)
    assert refused.sample.errors["status"] > 0


@pytest.mark.parametrize("name", ["oha", "vegeta"])
def test_an_open_loop_keeps_its_rate(server: Child, name: str) -> None:
    if missing := generators.find(name).missing():
        pytest.skip(f"{missing} (it is optional)")
    with fake({}) as site:
        target = Target(site.url, "/ugly")
        result = drive(target, Load(name, 4, rate=50.0, duration_s=1.0), server, frozenset())
    assert result.sample.count == pytest.approx(50, abs=5)
    assert not any(result.sample.errors.values())


class Stalled(BaseHTTPRequestHandler):
    """Answers a POST of "x" at /buy; the third one keeps everybody waiting for half a second."""

    protocol_version = "HTTP/1.1"
    asked: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        asked = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.asked.append(f"{self.path} {asked} {self.headers['X-Shop']}")
        if len(self.asked) == 3:
            time.sleep(0.5)
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Write nothing."""


def test_what_waits_for_a_stalled_server_is_not_left_out_by_vegeta(
    server: Child, tmp_path: Path
) -> None:
    """Of 100 requests in a second, one of which takes half a second, half wait for that one."""
    if missing := generators.find("vegeta").missing():
        pytest.skip(f"{missing} (it is optional)")
    raw = b"POST /buy HTTP/1.1\r\nHost: shop\r\nX-Shop: 1\r\nContent-Length: 1\r\n\r\nx"
    (tmp_path / "requests").write_bytes(b"%d\n%s" % (len(raw), raw))
    Stalled.asked.clear()
    with HTTPServer(("127.0.0.1", 0), Stalled) as http:
        Thread(target=http.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{http.server_port}"
        target = Target(url, "/buy", requests=str(tmp_path / "requests"))
        load = Load("vegeta", 1, rate=100.0, duration_s=1.0)
        result = drive(target, load, server, frozenset())
        http.shutdown()
    assert set(Stalled.asked) == {"/buy x 1"}
    waited = sum(count for upper, count in result.sample.histogram if upper > 100_000)
    assert waited >= 30
    assert result.sample.cpu_ns["generator"] > 0
