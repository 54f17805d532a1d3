"""Data folders of private databases for tests, copied from one that a test run makes once.

Runs on CPython 3.7 too.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from data_interface.votes import store_of
from databases import account, find, root_homes
from databases.locks import is_locked
from databases.private import join

GONE_SECONDS = 15.0
# Tests stop and restart databases and need not wait for long.
TIMEOUTS = "grace=0.5,restart=0.2"
# The folder of the copies' originals, for all processes of a test run.
VARIABLE = "TEST_TEMPLATES"
# Tarantool makes an empty data folder in no time.
COPIED = ("postgres", "mysql")


def set_up(basetemp: Path) -> None:
    """Tell this process and its children about the timeouts and the folder of the originals."""
    os.environ.setdefault("DATABASE_TIMEOUTS", TIMEOUTS)
    # Under pytest-xdist all processes share the folder above their own.
    run = basetemp.parent if "PYTEST_XDIST_WORKER" in os.environ else basetemp
    os.environ.setdefault(VARIABLE, str(run / "templates"))


def prepare(name: str, var: Path) -> None:
    """Put the data of a database with schema and stickers into ``var``, unless it has some."""
    folder = os.environ.get(VARIABLE)
    home = var / name
    if folder is None or name not in COPIED or home.exists() or find(name).missing():
        return
    original = Path(folder) / name
    original.parent.mkdir(exist_ok=True)
    with Path(f"{original}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not original.exists():
            _make(name, original)
    home.mkdir(mode=0o700, parents=True)
    subprocess.check_call(["cp", "-a", "--sparse=always", str(original), str(_data(home))])
    (home / "initialised").touch()


def _data(home: Path) -> Path:
    return account.home_of(home, account.account()) / "data"


def _make(name: str, original: Path) -> None:
    """Start a database, let a store load it, stop it, and move its data."""

    async def load(url: str) -> None:
        store = store_of(name, url)
        await store.open()
        await store.close()

    var = original.with_suffix(".making")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VAR_DIR", str(var))
        handle = join(name)
        asyncio.run(load(handle.url))
        handle.leave()
        wait_until_gone(var / name)
    subprocess.check_call(["mv", str(_data(var / name)), str(original)])
    remove_homes(var)
    shutil.rmtree(str(var))


def wait_until_gone(home: Path) -> None:
    """Wait until the supervisor of a database has ended."""
    deadline = time.monotonic() + GONE_SECONDS
    while is_locked(home / "supervisor.lock"):
        assert time.monotonic() < deadline, f"the database in {home} does not stop"
        time.sleep(0.02)


def remove_homes(base: Path) -> None:
    """Remove root's data of every folder below, once no server uses it."""
    deadline = time.monotonic() + GONE_SECONDS
    for home in root_homes.found():
        if base in home.folder.parents:
            while home.is_served() and time.monotonic() < deadline:
                time.sleep(0.1)
            home.remove()
