"""Fixtures for tests of stores: each backend in connection modes, on databases of the run.

A test module names its ``AXES``: the backends and modes that its tests depend on.
Runs on CPython 3.7 too.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import inspect
import shutil
import sys
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import pytest

from data_interface import BACKENDS, LOOP
from databases import find
from databases.private import Handle, join
from tests.support.stores.bench import Bench
from tests.support.stores.databases import prepare, remove_homes, set_up, wait_until_gone

VERSION = "{}.{}".format(*sys.version_info)
OLDEST = "3.7"
Setting = Tuple[str, str]


def every_setting() -> List[Setting]:
    """Return each backend with a database in each mode, as far as this interpreter runs it.

    The oldest interpreter leaves out the modes that keep nothing, except for its own backend.
    """
    return [
        (name, mode)
        for name, plugin in BACKENDS.items()
        if plugin.database is not None and plugin.suits(VERSION)
        for mode in plugin.connections
        if VERSION != OLDEST or plugin.python == OLDEST or mode in ("one", "pool", "gate")
    ]


def all_settings(axes: str) -> List[Setting]:
    """Return all settings that tests with these axes are worth running in."""
    if axes == "shared connection":
        return live_settings(axes)
    # The bounds that a database keeps do not depend on the mode of a driver.
    return [one for one in every_setting() if axes != "database" or one[1] == "one"]


def shares(backend: str) -> bool:
    """Return whether all pages share one connection; a driver with a pool of its own does not."""
    # valkey-py has a pool, but for requests and not for pages.
    return "gate" not in BACKENDS[backend].connections and backend != "valkey"


def paired() -> List[Setting]:
    """Return each backend in two modes: the usual one, and one of the others in turn."""
    found = []
    for turn, (name, plugin) in enumerate(BACKENDS.items()):
        usual = "one" if shares(name) else "pool"
        others = [mode for mode in plugin.connections if mode != usual]
        found.append((name, usual))
        found += [(name, others[turn % len(others)])] if others else []
    return found


def live_settings(axes: str) -> List[Setting]:
    """Return the settings that stand for all others in tests with these axes.

    "driver and mode": a pair of modes for each driver. "driver": one mode each. "database": one
    driver for each layout of a database. "shared connection": drivers that share one. "every mode":
    all.
    """
    everything = every_setting()
    if axes == "shared connection":
        return [(name, mode) for name, mode in everything if mode == "one" and shares(name)]
    if axes == "every mode":
        return everything
    pairs = [one for one in paired() if one in everything]
    if axes == "driver and mode":
        return pairs
    seen: Dict[str, Setting] = {}
    for name, mode in pairs:
        plugin = BACKENDS[name]
        kind = name if axes == "driver" else f"{plugin.database} {plugin.layout}"
        seen.setdefault(kind, (name, mode))
    return list(seen.values())


def parametrize(metafunc: Any, choose: Callable[[str], List[Setting]]) -> None:
    """Run a test that asks for ``bench`` once for each setting of its module's axes."""
    if "bench" in metafunc.fixturenames:
        # A test may be imported from the module that defines it.
        axes: str = vars(sys.modules[metafunc.function.__module__])["AXES"]
        found = choose(axes)
        if hasattr(metafunc.function, "needs_server"):
            found = [one for one in found if not find(BACKENDS[one[0]].database or "").embedded]
        if hasattr(metafunc.function, "needs_loop"):
            found = [one for one in found if LOOP in BACKENDS[one[0]].runs_in]
        metafunc.parametrize("bench", found, ids=["-".join(each) for each in found], indirect=True)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Optional[bool]:
    """Run a test that is a coroutine in an event loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


class StoreDatabases:
    """The private databases of this process of the test run, started when first used."""

    def __init__(self, var: Path) -> None:
        self._var = var
        self._handles: Dict[str, Handle] = {}

    def hold(self, name: str) -> str:
        """Keep a database running until ``release``; return its URL."""
        if name not in self._handles:
            prepare(name, self._var)
            self._handles[name] = join(name)
        return self._handles[name].url

    def release(self) -> None:
        """Leave the databases, and remove what they kept outside of the folder."""
        for name, handle in self._handles.items():
            handle.leave()
            wait_until_gone(self._var / name)
            path = find(name).address(handle.url).path
            shutil.rmtree(str(Path(path or "").parent), ignore_errors=True)
        remove_homes(self._var)


@pytest.fixture(scope="session")
def store_databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoreDatabases]:
    """Databases for the tests of stores alone: they empty them, kill them and freeze them."""
    set_up(tmp_path_factory.getbasetemp())
    var = tmp_path_factory.mktemp("var")
    with pytest.MonkeyPatch.context() as patch, contextlib.ExitStack() as stack:
        patch.setenv("VAR_DIR", str(var))
        found = StoreDatabases(var)
        stack.callback(found.release)
        yield found


@pytest.fixture
def bench(request: Any, store_databases: StoreDatabases) -> Bench:
    """The backend and mode of this test, on a running database; skips if one is missing."""
    backend, connection = request.param
    plugin = BACKENDS[backend]
    for need in plugin.needs:
        if importlib.util.find_spec(need) is None:
            absent(request.config, f"{backend} needs the Python package {need}: run `make env`")
    database = plugin.database or ""
    missing = find(database).missing()
    if missing is not None:
        absent(request.config, missing)
    return Bench(backend, connection, store_databases.hold(database))


def absent(config: pytest.Config, reason: str) -> None:
    """Skip the test because the machine lacks a component; fail with ``--require-all``."""
    if config.getoption("--require-all", default=False):
        pytest.fail(f"absent: {reason}", pytrace=False)
    pytest.skip(reason)
