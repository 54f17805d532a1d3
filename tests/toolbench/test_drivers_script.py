"""`make drivers`: what is not there, and what cannot be built, is one clear line."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from runtime.paths import ROOT

SECONDS = 20.0
TOOLS = ("bash", "basename", "dirname", "flock", "mkdir", "readlink", "sha256sum", "timeout")
THEN = "then try make drivers again"
FAILING = "#!/bin/sh\necho 'the program says why' >&2\nexit 1\n"
WITHOUT_GO = (
    "drivers: no Go, so its drivers cannot be measured; to get it: apt-get install golang-go"
)
WITHOUT_NODE = (
    "drivers: no node, so Node's drivers cannot be measured; to get it: apt-get install nodejs npm"
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The script in a project that has nothing to build, on a machine with neither Go nor Node."""
    for name in ("scripts/drivers.sh", "scripts/common.sh", "toolbench/nodejs/package-lock.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "toolbench/golang").mkdir()
    (tmp_path / "bin").mkdir()
    for name in TOOLS:
        found = shutil.which(name)
        assert found is not None
        (tmp_path / "bin" / name).symlink_to(found)
    return tmp_path


def install(project: Path, name: str, program: str) -> None:
    """A command of that name."""
    path = project / "bin" / name
    path.write_text(program)
    path.chmod(0o755)


def build(project: Path) -> tuple[int, list[str]]:
    """Exit status, and the lines on stderr."""
    done = subprocess.run(
        [str(project / "scripts/drivers.sh")],
        env={"PATH": str(project / "bin")},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.stdout == ""
    return done.returncode, done.stderr.splitlines()


def test_a_language_that_is_absent_is_named_with_what_installs_it(project: Path) -> None:
    assert build(project) == (0, [WITHOUT_GO, WITHOUT_NODE])


def test_a_build_that_fails_is_a_line_and_the_other_language_is_built(project: Path) -> None:
    install(project, "go", FAILING)
    status, lines = build(project)
    assert status == 1
    assert lines == [
        "the program says why",
        "drivers: building toolbench/golang failed; see go's message above, " + THEN,
        WITHOUT_NODE,
    ]


def test_packages_that_cannot_be_installed_are_a_line(project: Path) -> None:
    install(project, "node", "#!/bin/sh\necho v18.20.4\n")
    install(project, "npm", FAILING)
    status, lines = build(project)
    assert status == 1
    assert lines[0] == WITHOUT_GO
    assert lines[-2:] == [
        "the program says why",
        "drivers: installing toolbench/nodejs failed; see npm's message above, " + THEN,
    ]


def test_the_optional_package_that_was_not_compiled_is_named_until_it_is(project: Path) -> None:
    modules = project / "toolbench/nodejs/node_modules"
    install(project, "node", "#!/bin/sh\necho v18.20.4\n")
    install(project, "npm", f"#!/bin/sh\nmkdir -p {modules}/pg\n")
    status, lines = build(project)
    assert status == 1
    assert "pg-native was not built; to build it: apt-get install libpq-dev" in lines[-1]
    install(project, "npm", f"#!/bin/sh\nmkdir -p {modules}/pg-native\n")
    assert build(project)[0] == 0
    install(project, "npm", FAILING)  # it is not asked: all is there
    assert build(project) == (0, [WITHOUT_GO])
