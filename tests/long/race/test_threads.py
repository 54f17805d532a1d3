"""`race why` on programs that its profiler does not know."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from race.cli import main
from race.why import profiler
from race.why.record import load
from tests.conftest import absent
from tests.live.race.app.test_app import file
from tests.live.race.app.test_why import shop
from tests.support.race_lab import Race

__all__ = ["shop"]


def test_what_is_no_python_is_compared_by_thread_and_system_call(
    tmp_path: Path, shop: Path
) -> None:
    """The profiler sees nothing of a program that it does not know."""
    path = file(shop, "slow")
    with Race(["run", path, "--requests", "list", "--rounds", "1"], shop / "results") as race:
        assert race.wait() in (0, 3), race.text()
        folder = race.saved_race().folder
    own = Path(sys.executable).with_name("nothing")
    assert not own.exists()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(profiler, "program", lambda: None)
        assert main(["why", str(folder), "--rounds", "3", "--run-programs"]) == 0
    saved = load(folder)
    assert saved is not None
    assert "py-spy is not installed" in saved.no_functions
    assert all(one.threads for one in saved.cells)
    if saved.no_calls:
        absent(saved.no_calls)
    assert all(one.calls["sendto"] > 0.9 for one in saved.cells)
