"""Every store in the registry, in every connection mode, does what ``store.py`` says."""

from __future__ import annotations

import pytest

from .conftest import RunCase, settings
from .runner import CASES


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(
    "runs", settings(), indirect=True, ids=lambda setting: "-".join(filter(None, setting))
)
def test_store(runs: RunCase, case: str) -> None:
    runs(case)
