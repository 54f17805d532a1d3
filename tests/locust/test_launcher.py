"""What ``make locust`` starts: site, database and Locust together, and an end in order."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import psutil
import pytest

from race.web.locust.session import DESCRIPTORS
from runtime.paths import ROOT
from tests.support.html import numbers
from tests.support.locust_lab import PAGE, Running, launched, reports
from tests.support.site_client import get
from tests.support.site_server import Databases, until

MEMORY = ("--engine", "aiohttp-memory-one", "--user", "Reader")
STEPS = ("--", "--steps-rate", "50", "--steps-stages")


def asked(page: str, method: str, path: str, **form: str) -> dict[str, object]:
    """What Locust's page hears when it asks."""
    parts = urlsplit(page)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=20)
    head = {"Content-Type": "application/x-www-form-urlencoded"}
    connection.request(method, path, urlencode(form), head)
    found: dict[str, object] = json.loads(connection.getresponse().read())
    connection.close()
    return found


def swarm(page: str, **form: str) -> dict[str, object]:
    """What the page's form does."""
    return asked(page, "POST", "/swarm", **form)


def gone(running: Running, below: list[psutil.Process]) -> None:
    """Nobody is left of what it started."""
    assert running.process.poll() is not None
    left = [one for one in below if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]
    until(lambda: not any(one.is_running() for one in left), 10.0, f"still there: {left}")


def test_a_headless_run_has_what_the_server_did(tmp_path: Path) -> None:
    with launched(tmp_path, *MEMORY, "--headless", "--shape", "Steps", *STEPS, "5:7") as running:
        running.until("site: http://")
        below = running.below()
        assert running.wait() == 0, running.text()
        gone(running, below)
    found = reports(tmp_path)
    rows = found.table("server")
    assert len(rows) >= 5
    assert max(float(row["server_cpu"] or 0) for row in rows) > 0
    # In memory there is nothing to wait for.
    assert {row["connections"] for row in rows} == {""}
    assert "Server and database" in found.page


def test_the_database_is_watched_too(databases: Databases, tmp_path: Path) -> None:
    databases.hold("postgres")
    asked = ("--engine", "aiohttp-postgres-pool", "--user", "Voter", "--headless")
    shape = ("--shape", "Steps", *STEPS, "12:9")
    with launched(tmp_path, *asked, *shape, env=databases.env(POOL_SIZE="3")) as running:
        assert running.wait() == 0, running.text()
    rows = reports(tmp_path).table("server")
    assert max(float(row["database_cpu"] or 0) for row in rows) > 0
    # Three of the pool and one that keeps the house.
    assert max(int(row["connections"]) for row in rows) == 4
    assert all(float(row["waiting"]) >= 0 for row in rows)
    ratios = [float(row["requests_per_page"]) for row in rows if row["requests_per_page"]]
    assert 1 < sum(ratios) / len(ratios) <= 9


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
        away = swarm(page, shape_class="Wave", host="http://127.0.0.1:9")
        assert "no site at http://127.0.0.1:9" in str(away["message"])
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
    kinds = set().union(*reports(tmp_path).failures().values())
    assert any("Refused" in kind for kind in kinds), kinds
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


def test_ctrl_c_before_anything_began_is_quiet(tmp_path: Path) -> None:
    asked = ("--headless", "--shape", "Soak", "--workers", "1")
    with launched(tmp_path, *MEMORY, *asked) as running:
        running.until("site: http://")
        running.send(signal.SIGINT)
        running.wait(40)
    assert "Traceback" not in running.text()


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["--engine", "aiohtp-memory-one", "--headless", "--shape", "Steps"], 1, "did you mean"),
        (["--headless"], 2, "--headless needs --shape"),
        (["--workers", "x"], 2, "'x' is no number of workers: 0 to 64"),
        (["--port", "70000"], 2, "'70000' is no port"),
        (["--shapes", "x"], 2, "unknown argument '--shapes': did you mean '--shape'?"),
        ([*MEMORY, "--headless", "--shape", "Stps"], 2, "did you mean 'Steps'?"),
        (["--host", "http://127.0.0.1:9", "--port", "0"], 1, "no site at http://127.0.0.1:9: Conn"),
        (
            ["--host", "http://127.0.0.1:9", "--headless", "--shape", "Steps"],
            1,
            "no site at http://127.0.0.1:9: Connection refused",
        ),
    ],
)
def test_a_mistake_is_said_in_one_line(
    tmp_path: Path, arguments: list[str], status: int, said: str
) -> None:
    with launched(tmp_path, *arguments) as running:
        assert running.wait() == status, running.text()
    assert said in running.text()
    assert "Traceback" not in running.text()


def test_a_port_that_is_taken_is_said(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = str(taken.getsockname()[1])
        with launched(tmp_path, *MEMORY, "--port", number) as running:
            assert running.wait() == 1
    assert f"locust: port {number}: Address already in use; try another --port" in running.text()


def test_without_locust_the_remedy_is_said(tmp_path: Path) -> None:
    code = "import sys; sys.modules['locust'] = None; import race.web.locust.__main__ as m; "
    command = [sys.executable, "-c", code + "sys.exit(m.main([]))"]
    running = Running(command, tmp_path / "output.txt")
    assert running.wait() == 1
    assert running.text() == "locust: Locust is not installed: run make env\n"


def test_descriptors_are_raised_for_all_that_is_started() -> None:
    code = (
        "import resource as r; from race.web.locust.session import raise_descriptors; "
        "hard = r.getrlimit(r.RLIMIT_NOFILE)[1]; r.setrlimit(r.RLIMIT_NOFILE, (256, hard)); "
        "raise_descriptors(); print(*r.getrlimit(r.RLIMIT_NOFILE))"
    )
    said = subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True)
    soft, hard = map(int, said.split())
    assert soft == (DESCRIPTORS if hard < 0 else min(hard, DESCRIPTORS)) > 256


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
