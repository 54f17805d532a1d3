"""Each store in the settings that tests/live leaves out."""

from __future__ import annotations

from typing import Any

from tests.support.stores.fixtures import (
    all_settings,
    bench,
    live_settings,
    parametrize,
    pytest_pyfunc_call,
    store_databases,
)

__all__ = ["bench", "pytest_pyfunc_call", "store_databases"]


def pytest_generate_tests(metafunc: Any) -> None:
    def rest(axes: str) -> Any:
        return [one for one in all_settings(axes) if one not in live_settings(axes)]

    parametrize(metafunc, rest)
