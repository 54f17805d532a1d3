"""The other commands of the containers, run without containers."""

from __future__ import annotations

from pathlib import Path

from runtime.interpreters import executable
from runtime.listen import free_port
from tests.conftest import absent
from tests.support.compose import (
    database_runs,
    moved,
    probe,
    services,
    site_runs,
    started,
    words,
)
from tests.support.locust_lab import fake, needed
from tests.support.site_client import get
from tests.support.site_server import until

SERVICES = services()


def test_the_site_runs_by_its_command_on_the_old_python(tmp_path: Path) -> None:
    if not executable("3.7").exists():
        absent("no CPython 3.7: make env")
    site_runs("old-python", tmp_path)


def test_mariadb_runs_by_its_command_and_lets_the_site_in(tmp_path: Path) -> None:
    database_runs("mysql", "aiohttp-aiomysql-one", 3306, tmp_path)


def test_master_and_worker_run_by_their_commands(tmp_path: Path) -> None:
    needed()
    meet, page = free_port(), free_port()
    ports = ["--master-bind-port", str(meet), "--web-port", str(page)]
    port = {":15B5": f":{meet:04X}"}
    with fake({}) as site:
        master = words(SERVICES["locust"]["command"], TARGET=site.url)
        master = [*moved(master, {"/reports": str(tmp_path)}), *ports]
        worker = words(SERVICES["locust-worker"]["command"], MASTER="127.0.0.1")
        worker += ["--master-port", str(meet)]
        with (
            started(master, moved(probe("locust"), port), tmp_path / "master"),
            started(worker, moved(probe("locust-worker"), port), tmp_path / "worker"),
        ):
            url = f"http://127.0.0.1:{page}"
            until(lambda: get(url, "/").status == 200, 20.0, "no page")
            workers = get(url, "/stats/requests").json()["workers"]
            assert len(workers) == 1


def test_a_run_without_a_page_ends_with_its_reports(tmp_path: Path) -> None:
    needed()
    meet = free_port()
    mode = "--headless --expect-workers 1 --shape Steps --steps-rate 50 --steps-stages '4:5'"
    mode += " Reporter"
    with fake({}) as site:
        master = words(SERVICES["locust"]["command"], TARGET=site.url, LOCUST_MODE=mode)
        master = moved(master, {"/reports": str(tmp_path / "reports")})
        worker = words(SERVICES["locust-worker"]["command"], MASTER="127.0.0.1")
        check = moved(probe("locust"), {":15B5": f":{meet:04X}"})
        with started([*master, "--master-bind-port", str(meet)], check, tmp_path / "master"):
            joined = moved(probe("locust-worker"), {":15B5": f":{meet:04X}"})
            with started([*worker, "--master-port", str(meet)], joined, tmp_path / "worker"):
                log = tmp_path / "master"
                until(lambda: "reports: " in log.read_text(), 40.0, "no end")
    (report,) = (tmp_path / "reports").iterdir()
    assert (report / "report.json").exists()
