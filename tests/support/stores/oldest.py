"""Runs the tests of the stores on CPython 3.7, in a pytest of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from data_interface import BACKENDS
from runtime.interpreters import executable
from runtime.paths import ROOT
from tests.conftest import absent
from tests.support.stores.fixtures import OLDEST

SECONDS = 400.0
STORES = "tests/live/stores"
BACKENDS_TESTED = [
    name for name, plugin in BACKENDS.items() if plugin.suits(OLDEST) and plugin.database
]


def run_on_oldest(request: pytest.FixtureRequest, basetemp: Path, *arguments: str) -> None:
    """Run pytest with these arguments on CPython 3.7; fail with its output if a test fails."""
    python = executable(OLDEST)
    if not python.exists():
        absent(f"no CPython {OLDEST}: run `make env`")
    command = [str(python), "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider"]
    command += ["--basetemp", str(basetemp / "run"), *arguments]
    if request.config.getoption("--require-all") and STORES in arguments:
        command.append("--require-all")
    # This pytest must not take itself for a worker of the one that started it.
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    log = basetemp / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=output, env=env)
        try:
            status = process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            status = -1
        finally:
            process.kill()
            process.wait()
    text = log.read_text(errors="replace")
    sys.stdout.write(text.splitlines()[-1])
    if status:
        pytest.fail(f"CPython {OLDEST}, exit status {status}:\n{text}", pytrace=False)
