"""`make env` chooses the interpreter of an environment among several of one version."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from runtime.paths import ROOT

CPYTHON = """#!/bin/sh
case "$1" in
    -c) echo CPython %s ;;
    -I) echo '{"pgo": %s, "lto": %s}' ;;
esac
"""


def install(place: Path, pgo: str, lto: str, version: str = "3.13") -> Path:
    """Install what says that it is a CPython of such a build."""
    python = place / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(CPYTHON % (version, pgo, lto))
    python.chmod(0o755)
    return python


def found(home: Path, version: str = "3.13") -> str:
    command = [f". scripts/common.sh; find_python {version}"]
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "PYENV_ROOT": str(home / "pyenv")}
    done = subprocess.run(
        ["bash", "-c", *command], cwd=ROOT, env=env, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.mark.skipif(Path("/usr/bin/python3.13").exists(), reason="the system has a CPython 3.13")
def test_an_optimised_build_goes_before_a_newer_one(tmp_path: Path) -> None:
    newest = install(tmp_path / "pyenv" / "versions" / "3.13.9", "false", "false")
    install(tmp_path / "pyenv" / "versions" / "3.13.2", "false", "false")
    assert found(tmp_path) == str(newest)
    half = install(tmp_path / "pyenv" / "versions" / "3.13.1", "true", "false")
    assert found(tmp_path) == str(half)
    whole = install(tmp_path / ".local/share/uv/python/cpython-3.13.0-linux", "true", "true")
    assert found(tmp_path) == str(whole)


def test_a_build_without_the_lock_is_found_by_its_t(tmp_path: Path) -> None:
    plain = install(tmp_path / "pyenv" / "versions" / "3.14.9", "false", "false", "3.14")
    free = install(tmp_path / "pyenv" / "versions" / "3.14.8t", "false", "false", "3.14t")
    assert (found(tmp_path, "3.14"), found(tmp_path, "3.14t")) == (str(plain), str(free))
    name = "cpython-3.14.7+freethreaded-linux"
    optimised = install(tmp_path / ".local/share/uv/python" / name, "true", "true", "3.14t")
    assert found(tmp_path, "3.14t") == str(optimised)
