"""The drivers and the server of a database whose name is ``DATABASE`` in the test's module."""

from __future__ import annotations

import importlib.util
import platform
from typing import Any

import pytest

from data_interface import BACKENDS
from databases import find
from tests.conftest import absent
from tests.support.site_server import Databases
from tests.support.stores.fixtures import pytest_pyfunc_call

__all__ = ["pytest_pyfunc_call"]


def drivers(database: str) -> list[str]:
    """Return the backends on a database's usual layout that this interpreter runs."""
    version = platform.python_version()
    return [
        name
        for name, one in BACKENDS.items()
        if (one.database, one.layout) == (database, "") and one.suits(version)
    ]


def pytest_generate_tests(metafunc: Any) -> None:
    """Run a test that asks for ``driver`` with each; ``one_driver`` is for what all do alike."""
    database = getattr(metafunc.module, "DATABASE", "")
    for name, found in (("driver", drivers(database)), ("one_driver", drivers(database)[:1])):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, found, indirect=True)


@pytest.fixture
def driver(request: pytest.FixtureRequest) -> str:
    """The name of a backend."""
    for need in BACKENDS[request.param].needs:
        if importlib.util.find_spec(need) is None:
            absent(f"{request.param} needs the Python package {need}: run `make env`")
    return str(request.param)


one_driver = driver


@pytest.fixture(scope="module")
def server(request: pytest.FixtureRequest, databases: Databases) -> str:
    """The URL of the run's private server."""
    missing = find(request.module.DATABASE).missing()
    if missing:
        absent(missing)
    return databases.hold(request.module.DATABASE)
