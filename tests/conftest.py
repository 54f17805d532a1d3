"""What every test may ask: a component that may be absent on this machine, databases of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

import pytest

from tests.support.site_server import Databases

_options: dict[str, bool] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--require-all",
        action="store_true",
        help="fail, instead of skip, where a component of the machine is absent",
    )


def pytest_configure(config: pytest.Config) -> None:
    _options["require_all"] = config.getoption("--require-all")


def absent(reason: str) -> NoReturn:
    """End a test or fixture whose component (an interpreter, a program) is not on this machine.

    A skip with its reason, or a failure with ``--require-all``. The reason says what to install.
    """
    if _options["require_all"]:
        pytest.fail(f"absent: {reason}", pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Databases]:
    """Databases of one module's tests alone; Tarantool is up."""
    found = Databases(tmp_path_factory.mktemp("var"))
    found.hold("tarantool")
    yield found
    found.release()
