"""The replacement of a supervisor that keeps dying."""

from __future__ import annotations

import logging
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest

from databases import revival
from databases.database import DatabaseError
from tests.support.site_server import until


def test_a_supervisor_that_does_not_stay_is_brought_less_and_less_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A full disk, say: as long as it lasts, it must not cost a core."""
    tries: list[float] = []

    def bring() -> None:
        tries.append(now())
        if len(tries) == 2:
            raise DatabaseError("no room")

    now = controlled_clock(monkeypatch)
    watch = revival.SupervisorWatch("odd", tmp_path, bring)
    with caplog.at_level(logging.WARNING):
        for _ in range(100):
            watch.check()
            until(lambda: not watch._thread or not watch._thread.is_alive(), 1.0, "it hangs")
            now(0.1)
    pauses = [later - sooner for sooner, later in pairwise(tries)]
    assert pauses == sorted(pauses)
    assert pauses[0] == pytest.approx(0.5, abs=0.15)
    assert pauses[-1] == pytest.approx(1.5, abs=0.15)
    assert "cannot replace the supervisor of the private odd: no room" in caplog.text


def controlled_clock(monkeypatch: pytest.MonkeyPatch) -> Callable[..., float]:
    """A clock of the watch that only a test moves on."""
    at = [1000.0]

    def now(forward: float = 0.0) -> float:
        at[0] += forward
        return at[0]

    monkeypatch.setattr(revival, "time", SimpleNamespace(monotonic=now))
    return now
