"""The containers of docker-compose.yml: rights, networks, pinned images, settings."""

from __future__ import annotations

import ast
import re

import pytest

from databases.mysql import server as mariadb
from databases.postgres.server import SETTINGS
from runtime.paths import ROOT
from tests.support.compose import (
    ALL,
    FILE,
    RECIPE,
    composed,
    filled,
    services,
    words,
)
from tests.support.imports import closure, sources, top

SERVICES = services()
DATABASES = {"postgres", "tarantool", "mysql"}
SITES = {"site", "old-python"}
PINNED = re.compile(r"[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}")
OUTSIDE = re.compile(r"\$\{\w+:-127\.0\.0\.1\}:\d+:\d+")
PARTS = {"server", "runtime", "databases", "data_interface", "handlers"}
RECIPE_LINES = RECIPE.read_text(encoding="utf-8").splitlines()


def stage(name: str) -> list[str]:
    """Return the commands of a stage, without its FROM."""
    begins = next(at for at, line in enumerate(RECIPE_LINES) if line.endswith(f" AS {name}"))
    rest = RECIPE_LINES[begins + 1 :]
    ends = next((at for at, line in enumerate(rest) if line.startswith("FROM ")), len(rest))
    return [line for line in rest[:ends] if line and not line.startswith("#")]


@pytest.mark.parametrize("name", SERVICES)
def test_a_container_may_do_little(name: str) -> None:
    service = SERVICES[name]
    assert name.removesuffix("-worker") in service["profiles"]
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
    trees = {"server.py": ast.parse((ROOT / "server.py").read_bytes())}
    for part in PARTS - {"server"}:
        trees |= {f"{part}/{path}": tree for path, tree in sources(ROOT / part).items()}
    needs = top(closure(["server.py"], trees))
    assert needs & {"race", "toolbench", "locustfiles", "tests"} == set()
    copied = {line.split()[1].removesuffix(".py") for line in stage("site") if "COPY " in line}
    assert copied >= PARTS | {"templates", "static"}
    assert {line.rpartition(" ")[2] for line in stage("old-python") if "COPY " in line} >= {
        line.rpartition(" ")[2] for line in stage("site") if "COPY " in line and "venv" not in line
    }
