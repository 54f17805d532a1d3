"""The stores under test: the registry itself, in every connection mode, on databases of this run.

Runs on CPython 3.7 as well: ``.venv-3.7/bin/python -m pytest tests/stores``.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import inspect
import os
import shutil
import sys
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple

import pytest

from data_interface import BACKENDS
from databases import find
from databases.private import Handle, join
from tests.stores.bench import GONE_SECONDS, Bench, remove_homes

VERSION = "{}.{}".format(*sys.version_info)
OLDEST = "3.7"


def pytest_addoption(parser: pytest.Parser) -> None:
    # Known already when the tests of the other folders run as well.
    with contextlib.suppress(ValueError):
        parser.addoption("--require-all", action="store_true", help="fail instead of skip")


def settings() -> List[Tuple[str, str]]:
    """Backend and connection mode: everything this interpreter runs.

    The oldest one runs in every mode what no other can, and of the rest the modes that keep
    connections: that is where a driver's version matters.
    """
    kept = None if VERSION != OLDEST else ("one", "pool", "gate")
    return [
        (name, connection)
        for name, plugin in BACKENDS.items()
        if plugin.suits(VERSION)
        for connection in plugin.connections
        if kept is None or plugin.python == OLDEST or connection in kept
    ]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "bench" in metafunc.fixturenames:
        needed = getattr(metafunc.module, "NEEDS_A_DATABASE", False)
        found = [each for each in settings() if BACKENDS[each[0]].database or not needed]
        metafunc.parametrize("bench", found, ids=["-".join(each) for each in found], indirect=True)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Optional[bool]:
    """A test that is a coroutine runs in an event loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


class Databases:
    """The private databases of this run, in a folder of their own; joined when first used."""

    def __init__(self, var: Path) -> None:
        self._var = var
        self._handles: Dict[str, Handle] = {}

    def hold(self, name: str) -> str:
        """Keep a database up until ``release``; its URL."""
        if name not in self._handles:
            self._handles[name] = join(name)
        return self._handles[name].url

    def release(self) -> None:
        """Leave them, and remove what they kept outside of the folder."""
        for name, handle in self._handles.items():
            handle.leave()
            deadline = time.monotonic() + GONE_SECONDS
            while (self._var / name / "state.json").exists():
                assert time.monotonic() < deadline, f"{name} did not stop"
                time.sleep(0.02)
            path = find(name).address(handle.url).path
            if path is not None:
                shutil.rmtree(str(Path(path).parent), ignore_errors=True)


@pytest.fixture(scope="session")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Databases]:
    """This run's databases, apart from those of other folders' tests."""
    var = tmp_path_factory.mktemp("var")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VAR_DIR", str(var))
        found = Databases(var)
        try:
            yield found
        finally:
            os.environ["VAR_DIR"] = str(var)
            found.release()
            remove_homes(var)


@pytest.fixture
def bench(request: Any, databases: Databases) -> Bench:
    """What the test is parametrized with; the test ends where this machine does not have it."""
    backend, connection = request.param
    plugin = BACKENDS[backend]
    for need in plugin.needs:
        if importlib.util.find_spec(need) is None:
            absent(request.config, f"{backend} needs the Python package {need}: run `make env`")
    if plugin.database is None:
        return Bench(backend, connection, "")
    missing = find(plugin.database).missing()
    if missing is not None:
        absent(request.config, missing)
    return Bench(backend, connection, databases.hold(plugin.database))


def absent(config: pytest.Config, reason: str) -> None:
    """A component is not on this machine: a skip, or a failure with ``--require-all``."""
    if config.getoption("--require-all", default=False):
        pytest.fail(f"absent: {reason}", pytrace=False)
    pytest.skip(reason)
