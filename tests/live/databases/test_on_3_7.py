"""The stores on CPython 3.7: its own driver, and what its versions of the others do differently."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.stores.oldest import SECONDS, STORES, run_on_oldest

# aiotarantool runs nowhere else. Cancelled pages disturb the pools of psycopg and asyncpg there.
DRIVERS = "[aiotarantool- or [psycopg-pool or [postgres-pool"
TESTS = "vote_counts or wire or cancel or killed or too_long or vain or reports or visitor"


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
