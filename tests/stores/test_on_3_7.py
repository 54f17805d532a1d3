"""The stores on CPython 3.7: its own pytest runs this folder, and says here what failed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from data_interface import BACKENDS
from runtime.interpreters import executable
from runtime.paths import ROOT
from tests.stores.conftest import OLDEST, VERSION, absent

SECONDS = 400.0
TESTED = [name for name, plugin in BACKENDS.items() if plugin.suits(OLDEST)]

pytestmark = pytest.mark.skipif(VERSION == OLDEST, reason="this is that interpreter")


@pytest.mark.timeout(SECONDS + 10)
@pytest.mark.parametrize("backend", TESTED)
def test_the_oldest_interpreter(backend: str, request: Any, tmp_path: Path) -> None:
    python = executable(OLDEST)
    if not python.exists():
        absent(request.config, f"no CPython {OLDEST}: run `make env`")
    command = [str(python), "-m", "pytest", "tests/stores", "-q", "--tb=short"]
    command += ["-p", "no:cacheprovider", "-k", f"[{backend}-", "--basetemp", str(tmp_path / "run")]
    if request.config.getoption("--require-all", default=False):
        command.append("--require-all")
    log = tmp_path / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=str(ROOT), stdout=output, stderr=output, env=env())
        try:
            status = process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            status = -1
        finally:
            process.kill()
            process.wait()
    said = log.read_text(encoding="utf-8", errors="replace")
    sys.stdout.write(said.splitlines()[-1])
    if status:
        pytest.fail(f"CPython {OLDEST}, exit status {status}:\n{said}", pytrace=False)


def env() -> Any:
    """Without what would make that pytest a worker of this one."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
