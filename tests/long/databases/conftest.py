"""Tests that are coroutines."""

from tests.support.stores.fixtures import pytest_pyfunc_call

__all__ = ["pytest_pyfunc_call"]
