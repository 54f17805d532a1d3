"""Every store that runs on CPython 3.7, there, in every connection mode that keeps connections."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.stores.oldest import BACKENDS_TESTED, SECONDS, STORES, run_on_oldest


@pytest.mark.timeout(SECONDS + 10)
@pytest.mark.parametrize("backend", BACKENDS_TESTED)
def test_the_oldest_interpreter(
    backend: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    run_on_oldest(request, tmp_path, STORES, "--every-mode", "-k", f"[{backend}-")
