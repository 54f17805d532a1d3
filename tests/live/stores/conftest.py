"""Each store in the settings that stand for all others; ``--every-mode`` adds the rest."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from tests.support.stores.fixtures import (
    all_settings,
    bench,
    live_settings,
    parametrize,
    pytest_pyfunc_call,
    store_databases,
)

__all__ = ["bench", "pytest_pyfunc_call", "store_databases"]


def pytest_addoption(parser: pytest.Parser) -> None:
    # The conftest of all tests has the first option, and is not read on CPython 3.7.
    with contextlib.suppress(ValueError):
        parser.addoption("--require-all", action="store_true", help="fail instead of skip")
    parser.addoption("--every-mode", action="store_true", help="test every store in every mode")


def pytest_generate_tests(metafunc: Any) -> None:
    whole = metafunc.config.getoption("--every-mode", default=False)
    parametrize(metafunc, all_settings if whole else live_settings)
