"""Every part that is fetched is pinned by a version and a hash."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

from runtime.paths import ROOT

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
INSTALLERS = [
    ROOT / "docker/Dockerfile",
    ROOT / ".ci/run",
    *sorted((ROOT / "scripts").glob("*.sh")),
]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
ACTION = re.compile(r"uses: [\w./-]+@[0-9a-f]{40}  # v[\d.]+$")
IMAGE = re.compile(r"[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}")
PIP = re.compile(r"\bpip install\b[^;|\n]*")
HASHES = ("--no-deps", "--no-build-isolation", "--require-hashes", "-r ")
FETCHED = re.compile(r"\b(curl|wget|npx|pipx|get-pip)\b|\bnpm install [\w@]|\bgo install\b")
PINNED = re.compile(r"[\w.\[\],-]+==\S+( ; .*)? \\")
# Where a new version of what is pinned is looked for: by whom, in which folder, in which file.
WATCHED = {
    ("github-actions", "/"): ".github/workflows/ci.yml",
    ("docker", "/docker"): "docker/Dockerfile",
    ("docker-compose", "/"): "docker-compose.yml",
    ("gomod", "/toolbench/golang"): "toolbench/golang/go.sum",
    ("npm", "/toolbench/nodejs"): "toolbench/nodejs/package-lock.json",
}


def commands(path: Path) -> str:
    """A script's commands, those of several lines as one."""
    lines = path.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("#"))


def read(path: str | Path) -> Any:
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda it: it.name)
def test_a_workflow_runs_what_it_names_and_may_read_only(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    uses = [line.strip() for line in text.splitlines() if "uses:" in line]
    assert uses
    assert all(ACTION.search(line) for line in uses), uses
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert IMAGE.fullmatch(job["container"])
        assert not job["runs-on"].endswith("-latest")
        assert job["timeout-minutes"] <= 60
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False


@pytest.mark.parametrize("path", INSTALLERS, ids=lambda it: it.name)
def test_nothing_is_installed_without_a_hash(path: Path) -> None:
    text = commands(path)
    for command in PIP.findall(text):
        assert all(word in command for word in HASHES), command
    # npm ci takes what the lock has the digest of; curl and wget would take what is there.
    assert not FETCHED.search(text)


def test_every_place_that_installs_is_looked_at() -> None:
    found = [command for path in INSTALLERS for command in PIP.findall(commands(path))]
    assert len(found) == 7


@pytest.mark.parametrize("path", LOCKS, ids=lambda it: it.name)
def test_a_lock_has_a_version_and_hashes_of_everything(path: Path) -> None:
    assert path.with_suffix(".in").exists()
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines
    for at, line in enumerate(lines):
        if not line.startswith((" ", "#")):
            assert PINNED.fullmatch(line), line
            assert lines[at + 1].strip().startswith("--hash=sha256:"), line


def test_what_is_compiled_finds_what_compiles_it() -> None:
    """setuptools is in the lock, because builds without isolation fetch nothing."""
    text = (ROOT / "requirements/current.txt").read_text(encoding="utf-8")
    assert re.search(r"^setuptools==", text, re.MULTILINE)


def test_the_wheel_has_all_that_runs_and_its_extra_every_engine() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"}
    assert packages <= {name.strip("/") for name in wheel["include"]}
    assert {name.strip("/") for name in wheel["include"]} - {"race"} == set(wheel["sources"])
    lines = (ROOT / "requirements/server.in").read_text(encoding="utf-8").splitlines()
    asked = [Requirement(line.split(" #")[0]) for line in lines if line and line[0] != "#"]
    raced = {one.name for one in asked if not one.marker or one.marker.evaluate()}
    project = project["project"]
    site = [*project["dependencies"], *project["optional-dependencies"]["site"]]
    assert raced <= {Requirement(one).name for one in site}


def test_new_versions_are_looked_for_everywhere() -> None:
    updates = read(".github/dependabot.yml")["updates"]
    watched = {(one["package-ecosystem"], one["directory"]) for one in updates}
    assert watched == set(WATCHED)
    assert all((ROOT / path).exists() for path in WATCHED.values())
    job = read(".github/workflows/new-versions.yml")
    # YAML takes a bare "on" for a truth.
    assert job[True]["schedule"]
    runs = [step.get("run", "") for step in job["jobs"]["newest"]["steps"]]
    assert "make lock ARGS=--upgrade" in runs
    assert runs[-1] == ".ci/run"
