"""The containers: what Compose cannot check here, and every command run without it."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from databases import find
from databases.mysql import server as mariadb
from databases.postgres.account import PROGRAMS, wheel
from databases.postgres.server import SETTINGS
from race.web.locust.launcher import free_port
from runtime.interpreters import executable
from runtime.paths import ROOT
from tests.conftest import absent
from tests.support.compose import (
    FILE,
    PASSWORD,
    RECIPE,
    composed,
    filled,
    healthy,
    moved,
    probe,
    services,
    started,
    words,
)
from tests.support.imports import closure, sources, top
from tests.support.locust_lab import fake, needed
from tests.support.site_client import get
from tests.support.site_server import Databases, environment, serving, until

SERVICES = services()
DATABASES = {"postgres", "tarantool", "mysql"}
SITES = {"site", "old-python"}
ALL = "0.0.0.0"  # noqa: S104 - what a container listens at
PINNED = re.compile(r"[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}")
OUTSIDE = re.compile(r"\$\{\w+:-127\.0\.0\.1\}:\d+:\d+")
PARTS = {"server", "runtime", "databases", "data_interface", "handlers"}
RECIPE_LINES = RECIPE.read_text(encoding="utf-8").splitlines()


def stage(name: str) -> list[str]:
    """The commands of a stage, without its FROM."""
    begins = next(at for at, line in enumerate(RECIPE_LINES) if line.endswith(f" AS {name}"))
    rest = RECIPE_LINES[begins + 1 :]
    ends = next((at for at, line in enumerate(rest) if line.startswith("FROM ")), len(rest))
    return [line for line in rest[:ends] if line and not line.startswith("#")]


def test_there_is_a_profile_for_each_part_of_the_suite() -> None:
    profiles = {name: set(service["profiles"]) for name, service in SERVICES.items()}
    assert profiles == {
        "site": {"site"},
        "old-python": {"old-python"},
        "postgres": {"postgres"},
        "tarantool": {"tarantool"},
        "mysql": {"mysql"},
        "locust": {"locust"},
        "locust-worker": {"locust", "worker"},
    }


@pytest.mark.parametrize("name", SERVICES)
def test_a_container_may_do_little(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["user"].partition(":")[0] not in ("", "0", "root")
    assert "privileged" not in service
    assert not {"cap_add", "network_mode", "pid", "devices"} & set(service)
    limits = service["deploy"]["resources"]["limits"]
    assert float(filled(limits["cpus"], {})) > 0
    assert re.fullmatch(r"\d+[MG]", limits["memory"])
    assert limits["pids"] > 0
    assert service["healthcheck"]["test"][0] == "CMD"
    # Only volumes with names, nothing of the machine's own files.
    mounts = [one.partition(":")[0] for one in service.get("volumes", [])]
    assert set(mounts) <= set(composed()["volumes"])


def test_every_image_is_pinned_by_digest() -> None:
    images = [one["image"] for one in SERVICES.values() if "image" in one]
    froms = [line.split() for line in RECIPE_LINES if line.startswith("FROM ")]
    stages = {from_[3] for from_ in froms}
    images += [from_[1] for from_ in froms if from_[1] not in stages]
    assert len(images) == 4
    assert all(PINNED.fullmatch(image) for image in images), images


def test_databases_are_reached_by_the_site_alone() -> None:
    networks = composed()["networks"]
    assert networks["databases"] == {"internal": True}
    for name, service in SERVICES.items():
        if name in DATABASES:
            assert "ports" not in service
            assert service["networks"] == ["databases"]
        else:
            assert all(OUTSIDE.fullmatch(port) for port in service.get("ports", []))
            assert ("databases" in service["networks"]) == (name in SITES)


def test_no_password_is_published() -> None:
    text = FILE.read_text(encoding="utf-8")
    assert set(re.findall(r"DATABASE_PASSWORD(..)", text)) == {":?"}
    for service in SERVICES.values():
        for key, value in service.get("environment", {}).items():
            if "PASSWORD" in key or key.endswith("_URL"):
                assert "${DATABASE_PASSWORD:?" in value
    assert ".env" in (ROOT / ".gitignore").read_text().splitlines()


def test_postgres_is_set_as_the_private_one() -> None:
    program, *options = words(SERVICES["postgres"]["command"])
    assert program == "postgres"
    assert set(options[::2]) == {"-c"}
    private = {name: value for name, value in SETTINGS.items() if name != "listen_addresses"}
    assert dict(option.split("=") for option in options[1::2]) == private


def test_mariadb_is_set_as_the_private_one() -> None:
    _, _, *options = words(SERVICES["mysql"]["command"])
    given = dict(option.removeprefix("--").split("=") for option in options)
    private = {name.replace("_", "-"): value for name, value in mariadb.SETTINGS.items()}
    del private["skip-networking"]
    assert given == {"port": "3306", "bind-address": ALL, **private}


@pytest.mark.parametrize("name", [name for name, one in SERVICES.items() if "build" in one])
def test_an_image_has_what_it_runs_and_no_root(name: str) -> None:
    build = SERVICES[name]["build"]
    assert ROOT / build["context"] / build["dockerfile"] == RECIPE
    lines = stage(build["target"])
    assert lines[-1] == f"USER {SERVICES[name]['user']}"
    assert "WORKDIR /suite" in lines


def test_what_is_copied_is_there_and_let_in() -> None:
    let_in = {
        line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line[:1] == "!"
    }
    copied = {line.split()[1] for line in RECIPE_LINES if re.match(r"COPY [^-]", line)}
    assert all((ROOT / path).exists() for path in copied)
    assert copied - let_in == {f"requirements/{name}.txt" for name in ("server", "locust", "py37")}
    assert "requirements/*.txt" in let_in


def test_the_site_has_every_module_it_imports() -> None:
    needs = top(closure(["server.py"], sources(ROOT)))
    assert needs & {"race", "toolbench", "locustfiles", "tests"} == set()
    copied = {line.split()[1].removesuffix(".py") for line in stage("site") if "COPY " in line}
    assert copied >= PARTS | {"templates", "static"}
    assert {line.rpartition(" ")[2] for line in stage("old-python") if "COPY " in line} >= {
        line.rpartition(" ")[2] for line in stage("site") if "COPY " in line and "venv" not in line
    }


@pytest.mark.parametrize(("name", "version"), [("site", None), ("old-python", "3.7")])
def test_the_site_runs_by_its_command(name: str, version: str | None, tmp_path: Path) -> None:
    if not executable(version).exists():
        absent(f"no CPython {version or ''}: make env")
    port = str(free_port())
    command = moved(words(SERVICES[name]["command"]), {"1717": port, ALL: "127.0.0.1"})
    with started(command, moved(probe(name), {"1717": port}), tmp_path / "log"):
        assert get(f"http://127.0.0.1:{port}", "/").status == 200


@pytest.mark.parametrize(
    ("name", "engine", "port"),
    [("tarantool", "aiohttp-tarantool-one", 3301), ("mysql", "aiohttp-aiomysql-one", 3306)],
)
def test_a_database_runs_by_its_command_and_lets_the_site_in(
    name: str, engine: str, port: int, tmp_path: Path
) -> None:
    if missing := find(name).missing():
        absent(missing)
    free = free_port()
    place = {str(port): str(free), f":{port:04X}": f":{free:04X}"}
    place |= {ALL: "127.0.0.1", "/data": str(tmp_path)}
    given = SERVICES[name]["environment"]
    values = moved([filled(value, {}) for value in given.values()], place)
    command = moved(words(SERVICES[name]["command"]), place)
    env = dict(zip(given, values, strict=True))
    with started(command, moved(probe(name), place), tmp_path / "log", **env):
        variable = find(name).url_variable
        url = filled(SERVICES["site"]["environment"][variable], {})
        assert PASSWORD in url
        (moved_url,) = moved([url.replace(f"@{name}", "@127.0.0.1")], place)
        with serving(engine, environment(**{variable: moved_url})) as site:
            assert get(site.url, "/").status == 200


def test_the_check_of_postgres_is_one_of_its_own_programs(databases: Databases) -> None:
    databases.hold("postgres")
    folder = parse_qs(urlsplit(databases.hold("postgres")).query)["host"][0]
    packages = wheel()
    assert packages is not None
    program, *options = moved(probe("postgres"), {"127.0.0.1": folder})
    assert healthy([str(packages / PROGRAMS / program), *options])
    assert not healthy([str(packages / PROGRAMS / program), *options, "-p", "1"])


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
