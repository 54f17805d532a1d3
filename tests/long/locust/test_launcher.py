"""Rarer ends of `make locust`: signals at any moment, a dead site, a killed launcher."""

from __future__ import annotations

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.support.html import numbers
from tests.support.locust_lab import MEMORY, PAGE, asked, gone, launched, reports, swarm
from tests.support.site_client import get
from tests.support.site_server import until


def test_the_page_starts_checks_and_ends(tmp_path: Path) -> None:
    with launched(tmp_path, *MEMORY, "--port", "0") as running:
        page = running.until(PAGE.pattern)[1]
        below = running.below()
        wrong = swarm(page, shape_class="Wave", wave_low="x", user_classes="Reader")
        assert wrong["success"] is False
        assert wrong["message"] == "wave_low: 'x' is no number of users: 0 to 100000"
        bad = tmp_path / "bad.csv"
        bad.write_text("0,1\n5,many\n")
        traced = swarm(page, shape_class="Trace", trace_file=str(bad), user_classes="Reader")
        assert "bad.csv line 2: 'many' is no number of users" in str(traced["message"])
        args = get(page, "/").text
        assert '"available_user_classes": ["Reader"]' in args
        assert swarm(page, shape_class="Soak", soak_users="4")["success"] is True

        def busy() -> bool:
            found = get(page, "/stats/requests").json()
            return bool(found["stats"][-1]["num_requests"] > 3 and found["extended_stats"])

        until(busy, 20.0, "no requests")
        assert "valid" in get(page, "/stats/report").text
        assert get(page, "/server/csv").text.startswith("time,server_cpu,")
        assert "<svg" in get(page, "/server").text
        running.send(signal.SIGTERM)
        assert running.wait(30) == 0, running.text()
        gone(running, below)
    found = reports(tmp_path)
    assert (found.data["shape"], found.data["fields"]["soak_users"]) == ("Soak", "4")
    assert found.data["users"] == ["Reader"]
    assert "Traceback" not in running.text()


def test_ctrl_c_ends_a_run_that_began_by_itself(tmp_path: Path) -> None:
    with launched(tmp_path, *MEMORY, "--port", "0", "--shape", "Soak") as running:
        page = running.until(PAGE.pattern)[1]

        def busy() -> bool:
            found = get(page, "/stats/requests").json()
            return bool(found["stats"][-1]["num_requests"] > 1)

        until(busy, 20.0, "no requests")
        running.send(signal.SIGINT)
        assert running.wait(30) == 0, running.text()
    assert reports(tmp_path).data["shape"] == "Soak"


def test_a_site_that_dies_ends_the_run_in_order(tmp_path: Path) -> None:
    soak = ("--headless", "--shape", "Soak", "--", "--soak-users=10", "--soak-ramp=2")
    with launched(tmp_path, *MEMORY, *soak) as running:
        url = running.until(r"site: (http://\S+)")[1]
        until(lambda: numbers(get(url, "/about").text)["visitors"] > 4, 30.0, "nobody came")
        (site,) = running.named("server.py")
        site.kill()
        assert running.wait(40) == 1, running.text()
    assert "the site died: killed by SIGKILL" in running.text()
    found = reports(tmp_path)
    kinds = set().union(*found.failures().values())
    assert any("ConnectionRefusedError" in kind for kind in kinds), kinds
    counted = sum(one["count"] for one in found.data["failures"])
    assert counted == found.data["total"]["failures"] > 0
    assert found.data["verdict"]["valid"]
    assert "Traceback" not in running.text()


def test_nothing_outlives_a_launcher_that_is_killed(tmp_path: Path) -> None:
    with launched(tmp_path, *MEMORY, "--port", "0") as running:
        running.until(PAGE.pattern)
        below = running.below()
        running.send(signal.SIGKILL)
        running.wait()
        gone(running, below)


def test_ctrl_c_does_not_wait_for_the_page(tmp_path: Path) -> None:
    with launched(tmp_path, *MEMORY, "--port", "0") as running:
        until(lambda: bool(running.named("locustfile.py")), 40.0, "no Locust")
        below = running.below()
        running.send(signal.SIGINT)
        running.wait(20)
        gone(running, below)
    assert "Locust: http" not in running.text()
    assert "Traceback" not in running.text()


def test_a_site_that_is_not_there_ends_the_page_too(tmp_path: Path) -> None:
    with launched(tmp_path, "--host", "http://127.0.0.1:9", "--port", "0") as running:
        assert running.wait() == 1, running.text()
    assert "no site at http://127.0.0.1:9: Conn" in running.text()
    assert "Traceback" not in running.text()


def test_the_page_hears_of_the_end(tmp_path: Path) -> None:
    """It asks on only while a run starts or goes on; here the end waits for a site that hangs."""
    states = []
    with launched(tmp_path, *MEMORY, "--", "--stop-timeout", "4") as running:
        page = running.until(PAGE.pattern)[1]
        (server,) = running.named("server.py")
        assert swarm(page, shape_class="Soak", soak_users="50", soak_ramp="1")["success"] is True
        until(lambda: asked(page, "GET", "/stats/requests")["user_count"] == 50, 20.0, "not all")
        server.suspend()
        # Until most of them wait for a page.
        time.sleep(3.0)
        with ThreadPoolExecutor(1) as pool:
            stopped = pool.submit(asked, page, "POST", "/stop")
            deadline = time.monotonic() + 30
            while "stopped" not in states and time.monotonic() < deadline:
                states.append(asked(page, "GET", "/stats/requests")["state"])
                time.sleep(0.1)
        server.resume()
        assert stopped.result()["success"] is True
    assert states[-1] == "stopped"
    assert set(states) <= {"running", "stopped"}
