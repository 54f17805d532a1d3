"""Every store in the registry, in every connection mode, does what ``store.py`` says."""

from __future__ import annotations

import pytest

from data_interface import BACKENDS
from tests.stores.conftest import RunCase, settings
from tests.stores.runner import FOR_ALL, FOR_SERVERS

TESTS = [
    pytest.param(setting, case, id="-".join([*filter(None, setting), case]))
    for setting in settings()
    for case in [*FOR_ALL, *(FOR_SERVERS if BACKENDS[setting[0]].database else [])]
]


@pytest.mark.parametrize(("runs", "case"), TESTS, indirect=["runs"])
def test_store(runs: RunCase, case: str) -> None:
    runs(case)
