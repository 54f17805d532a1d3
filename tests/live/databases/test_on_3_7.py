"""The stores on CPython 3.7: its own driver, and what its versions of the others do differently."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from databases import account, find
from runtime.interpreters import executable
from runtime.paths import ROOT
from tests.conftest import absent
from tests.support.stores.fixtures import OLDEST
from tests.support.stores.oldest import SECONDS, STORES, run_on_oldest

# aiotarantool runs nowhere else. Cancelled pages disturb the pools of psycopg and asyncpg there.
DRIVERS = "[aiotarantool- or [psycopg-pool or [postgres-pool"
TESTS = "vote_counts or wire or cancel or killed or too_long or vain or reports or visitor"
# Starts Tarantool, prints the user that runs it, and stops it.
OWNER = """
import os, sys
from pathlib import Path
from databases import find
running = find("tarantool").start(Path(sys.argv[1]))
print(os.stat(f"/proc/{running.pid}").st_uid)
running.stop()
"""


@pytest.mark.timeout(SECONDS + 10)
def test_the_stores(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    run_on_oldest(request, tmp_path, STORES, "-k", f"({DRIVERS}) and ({TESTS})")


def test_pure_code(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """The time limits most of all: a task of CPython 3.7 does not count its cancellations."""
    folder = "tests/unit/data_interface"
    files = [
        f"{folder}/test_{name}.py" for name in ("deadline", "memory_store", "history", "pools")
    ]
    options = ["-c", f"{STORES}/pytest.ini", "--rootdir", ".", "--confcutdir", folder]
    run_on_oldest(request, tmp_path, *files, *options)


def test_a_database_of_root_runs_as_the_system_user(tmp_path: Path) -> None:
    user = account.account()
    if user is None:
        pytest.skip("only root has a system user for databases")
    missing = find("tarantool").missing()
    python = executable(OLDEST)
    if missing or not python.exists():
        absent(missing or f"no CPython {OLDEST}: run `make env`")
    command = [str(python), "-c", OWNER, str(tmp_path)]
    owner = subprocess.check_output(command, cwd=ROOT, timeout=60)
    assert int(owner) == user.pw_uid
