"""The commands of the containers, run without containers."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from databases.postgres.account import PROGRAMS, wheel
from race.web.locust.launcher import free_port
from tests.support.compose import (
    database_runs,
    healthy,
    moved,
    probe,
    services,
    site_runs,
    started,
    words,
)
from tests.support.locust_lab import fake, needed
from tests.support.site_server import Databases, until

SERVICES = services()


def test_the_site_runs_by_its_command(tmp_path: Path) -> None:
    site_runs("site", tmp_path)


def test_tarantool_runs_by_its_command_and_lets_the_site_in(tmp_path: Path) -> None:
    database_runs("tarantool", "aiohttp-tarantool-one", 3301, tmp_path)


def test_the_check_of_postgres_is_one_of_its_own_programs(databases: Databases) -> None:
    databases.hold("postgres")
    folder = parse_qs(urlsplit(databases.hold("postgres")).query)["host"][0]
    packages = wheel()
    assert packages is not None
    program, *options = moved(probe("postgres"), {"127.0.0.1": folder})
    assert healthy([str(packages / PROGRAMS / program), *options])
    assert not healthy([str(packages / PROGRAMS / program), *options, "-p", "1"])


def test_a_run_without_a_page_ends_with_its_reports(tmp_path: Path) -> None:
    """As docs/scale.md has it: LOCUST_MODE."""
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
