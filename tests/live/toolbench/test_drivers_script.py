"""`make drivers`: what is not there, and what cannot be built, is one clear line."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from runtime.paths import ROOT
from toolbench.languages import LANGUAGES

SECONDS = 20.0
TOOLS = (
    *("bash", "basename", "cat", "dirname", "flock", "mkdir", "readlink", "sha256sum"),
    "timeout",
)
FILES = (
    *("scripts/drivers.sh", "scripts/common.sh"),
    *("toolbench/nodejs/package.json", "toolbench/nodejs/package-lock.json"),
    *("toolbench/golang/main.go", "toolbench/golang/go.mod", "toolbench/golang/go.sum"),
)
THEN = "then try make drivers again"
FAILING = "#!/bin/sh\necho 'the program says why' >&2\nexit 1\n"
NODE = "#!/bin/sh\necho v18.20.4\n"
BUILDS = """#!/bin/sh
[ "$1" = env ] && echo go1.26.8 && exit
echo "$@" >> built
"""
WITHOUT_GO = (
    "drivers: no Go, so its drivers cannot be measured; to get it: apt-get install golang-go"
)
WITHOUT_NODE = (
    "drivers: no node, so Node's drivers cannot be measured; to get it: apt-get install nodejs npm"
)
TOO_OLD = (
    "drivers: node is older than 18, so Node's drivers cannot be measured; "
    "install a newer one, then make drivers"
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The script and what it looks at, on a machine with neither Go nor Node."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
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


def test_go_builds_what_is_not_current(project: Path) -> None:
    folder = project / "toolbench/golang"
    language = LANGUAGES["golang"]._replace(folder=folder)
    install(project, "go", BUILDS)
    assert build(project) == (0, [WITHOUT_NODE])
    assert f"-X main.sources={language.digest()} " in (folder / "built").read_text()

    def runner(version: str) -> None:
        said = f'{{"drivers":{{}},"go":"{version}","sources":"{language.digest()}"}}'
        language.built.parent.mkdir(exist_ok=True)
        language.built.write_text(f"#!/bin/sh\necho '{said}'\n")
        language.built.chmod(0o755)
        (folder / "built").unlink(missing_ok=True)

    runner("1.26.8")
    assert build(project) == (0, [WITHOUT_NODE])
    assert not (folder / "built").exists()
    runner("1.26.7")
    assert build(project) == (0, [WITHOUT_NODE])
    assert (folder / "built").exists()
    runner("1.26.8")
    (folder / "main.go").write_text("package other")
    assert build(project) == (0, [WITHOUT_NODE])
    assert (folder / "built").exists()


@pytest.mark.parametrize(
    ("node", "status", "last"),
    [
        ("#!/bin/sh\necho v16.20.2\n", 0, [WITHOUT_GO, TOO_OLD]),
        (
            NODE,
            1,
            [
                "the program says why",
                "drivers: installing toolbench/nodejs failed; see npm's message above, " + THEN,
            ],
        ),
    ],
    ids=["a node that is too old", "packages that cannot be installed"],
)
def test_packages_that_cannot_be_installed_are_a_line(
    project: Path, node: str, status: int, last: list[str]
) -> None:
    install(project, "node", node)
    install(project, "npm", FAILING)
    found, lines = build(project)
    assert (found, lines[0], lines[-2:]) == (status, WITHOUT_GO, last)


def test_the_optional_package_is_no_failure_and_tried_again_once_it_can_be_compiled(
    project: Path,
) -> None:
    modules = project / "toolbench/nodejs/node_modules"
    asked = project / "asked"
    install(project, "node", NODE)

    def npm(package: str) -> None:
        program = f'#!/bin/sh\necho "$1" >> {asked}\nmkdir -p {modules}/{package}\n'
        install(project, "npm", program)

    def said() -> list[str]:
        status, (first, *lines) = build(project)
        assert (status, first) == (0, WITHOUT_GO)
        return [line for line in lines if not line.startswith("drivers: installing")]

    without = (
        "drivers: pg-native was not built, and cannot be measured; to build it: "
        "apt-get install libpq-dev g++ make python3, then make drivers, with a network"
    )
    npm("pg")
    assert said() == [without]
    for name in ("pg_config", "g++", "make", "python3"):
        install(project, name, FAILING)  # without libpq-dev there may be such a pg_config
    assert said() == [without]
    assert asked.read_text().split() == ["ci"]
    install(project, "pg_config", f"#!/bin/sh\necho {project}\n")
    (project / "libpq-fe.h").touch()
    assert said() == [without]
    npm("pg-native")
    assert said() == []
    assert said() == []
    assert asked.read_text().split() == ["ci", "install", "install"]
