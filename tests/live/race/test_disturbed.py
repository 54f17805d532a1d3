"""A race beside programs that use all cores pauses, and ends without a result."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from race.machine import cores
from tests.support import burner
from tests.support.race_lab import Race, scenario

BUSY = ("rounds=4", "limits.foreign=0.1", "limits.quiet_wait_s=0", "limits.pause_s=1")


@pytest.fixture
def burnt() -> Iterator[None]:
    """Keep every core busy."""
    with ExitStack() as stack:
        for core in cores.allowed():
            process = stack.enter_context(burner.python(burner.FOREVER))
            os.sched_setaffinity(process.pid, {core})
            stack.callback(process.kill)
        yield


@pytest.mark.skipif(len(cores.allowed()) < 2, reason="nothing is pinned on one core")
@pytest.mark.usefixtures("burnt")
def test_it_pauses_and_says_what_to_do(tmp_path: Path) -> None:
    path = scenario(tmp_path, ["aiohttp-memory-one"], ["ugly"])
    words = [word for one in BUSY for word in ("--set", one)]
    with Race(["run", str(path), *words], tmp_path / "results") as race:
        assert race.wait() == 3, race.text()
        said, saved = " ".join(race.text().split()), race.saved_race()
    assert re.search(r"until [\d:]{8} at most: two rounds were lost, foreign CPU", said)
    assert re.search(r"No result: other programs took \d\d % of the cores. End them \(`top`", said)
    assert "go on with: " in said
    assert {cell.round for cell in saved.cells} == {0, 1, 2}
    assert "<h1>No result: other" in (saved.folder / "report.html").read_text()
