"""The commands of the containers, run without containers."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from databases.postgres.programs import PROGRAMS, wheel
from tests.support.compose import (
    database_runs,
    healthy,
    moved,
    probe,
    services,
    site_runs,
)
from tests.support.site_server import Databases

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
