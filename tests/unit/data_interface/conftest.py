"""The store in memory as ``bench``, and tests that are coroutines."""

from __future__ import annotations

from functools import lru_cache

import pytest

from data_interface import history, memory_store, stickers
from tests.support.stores.bench import Bench
from tests.support.stores.fixtures import pytest_pyfunc_call

__all__ = ["pytest_pyfunc_call"]

# Drawing the stickers takes longer than most of the tests.
catalogue = lru_cache(maxsize=1)(stickers.catalogue)


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Bench:
    """The store in memory."""
    for module in (memory_store, history):
        monkeypatch.setattr(module, "catalogue", catalogue)
    return Bench("memory", "one", "")
