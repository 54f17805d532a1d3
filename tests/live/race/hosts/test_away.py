"""A private database that is started for servers on other machines."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE
from urllib.parse import urlsplit

import psutil
import pytest

from data_interface.store import StoreError
from data_interface.votes import store_of
from databases import DATABASES, find
from databases.root_homes import found
from runtime.paths import ROOT
from tests.conftest import absent
from tests.support.site_server import until

SERVED = [name for name in DATABASES if not find(name).embedded]


@pytest.fixture(params=SERVED)
def name(request: pytest.FixtureRequest) -> str:
    wanted = str(request.param)
    if missing := find(wanted).missing():
        absent(missing)
    return wanted


@pytest.fixture
def away(name: str, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    words = [sys.executable, "-m", "databases.away", name, "127.0.0.1", "data"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(words, stdout=PIPE, stderr=PIPE, cwd=tmp_path, env=env, text=True) as one:
        yield one
        one.kill()


def test_it_serves_whoever_has_the_password_and_leaves_nothing(
    name: str, away: subprocess.Popen[str], tmp_path: Path
) -> None:
    assert away.stdout is not None
    said = json.loads(away.stdout.readline())
    asyncio.run(asyncio.wait_for(opened(name, said["url"]), 20))
    password = urlsplit(said["url"]).password or ""
    assert len(password) == 32
    with pytest.raises(StoreError):
        asyncio.run(asyncio.wait_for(opened(name, said["url"].replace(password, "other")), 20))
    away.send_signal(signal.SIGTERM)
    assert away.wait(20) == 0
    assert not psutil.pid_exists(said["pid"])
    assert not list((tmp_path / "data").iterdir())
    assert not [home for home in found() if tmp_path in home.folder.parents]


@pytest.mark.parametrize("name", ["postgres"], indirect=True)
def test_it_ends_with_its_database(name: str, away: subprocess.Popen[str], tmp_path: Path) -> None:
    assert away.stdout is not None
    psutil.Process(json.loads(away.stdout.readline())["pid"]).kill()
    assert away.wait(20) == 1
    assert away.stderr is not None
    assert away.stderr.read().splitlines()[-1].startswith("postgres died: ")
    assert not list((tmp_path / "data").iterdir())


@pytest.mark.parametrize("name", ["postgres"], indirect=True)
def test_the_database_dies_with_it(name: str, away: subprocess.Popen[str]) -> None:
    assert away.stdout is not None
    database = psutil.Process(json.loads(away.stdout.readline())["pid"])
    away.kill()
    until(lambda: not database.is_running(), 20.0, "it outlived what started it")


async def opened(name: str, url: str) -> None:
    """Open a store at a URL, and close it."""
    store = store_of(name, url)
    try:
        await store.open()
    finally:
        await store.close()
