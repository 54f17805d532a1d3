"""The disk becomes full at each stage of a race."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from race.saved.reader import RUN_FILE, SavedRace, load
from tests.long.faults.conftest import Extent
from tests.long.faults.page import Record
from tests.support.faults.disk import disk, resize, used
from tests.support.race_lab import Race, scenario

PAGE = 4096
ROOM = 64 << 20
MEMORY_ENGINE = ["aiohttp-memory-one"]

pytestmark = pytest.mark.fault(
    "a full disk",
    "Whichever file does not fit, one line says so, no saved cell is lost, and with more room the "
    "race goes on.",
    bound=1800,
)


def test_full_disk(tmp_path: Path, extent: Extent, record: Record) -> None:
    path, place = scenario(tmp_path, MEMORY_ENGINE, ["ugly", "good"]), tmp_path / "disk"
    with disk(place, ROOM):
        status, text = command(place, "run", str(path))
        assert status == 0, text
        pages = used(place) // PAGE
    stages = extent.times(full=16, short=3)
    # Closer together where the files are small that are written first.
    sizes = {max(1, round(pages * (stage / stages) ** 2)) for stage in range(1, stages)}
    ends: Counter[str] = Counter()
    for size in sorted({*sizes, pages - 1}):
        with disk(place, size * PAGE):
            ends[fill(path, place)] += 1
        record.tried = f"{ends.total()} sizes"
        record.text = "full at: " + "; ".join(f"{end}: {number}" for end, number in ends.items())


def command(place: Path, *words: str) -> tuple[int, str]:
    """Run a command of the harness; return its exit status and what it said."""
    with Race(list(words), place) as race:
        return race.wait(), race.text()


def fill(path: Path, place: Path) -> str:
    """Run a race that does not fit; return which file was the first that did not."""
    status, text = command(place, "run", str(path))
    said = [line for line in text.splitlines() if line.startswith("race: ")]
    assert status != 0, text
    assert "Traceback" not in text, text
    assert len(said) == 1, text
    before = saved(place)
    if before is None:
        return "its record"
    resize(place, ROOM)
    if before.head.finished_at:
        status, text = command(place, "report", "latest")
        assert status == 0, text
        return "its report"
    status, text = command(place, "resume", "latest")
    assert status == 0, text
    after = saved(place)
    assert after
    assert after.cells[: len(before.cells)] == before.cells
    return "its cells"


def saved(place: Path) -> SavedRace | None:
    """Return what was saved of the race, or None when there is not even its record."""
    found = next(place.glob(f"*/{RUN_FILE}"), None)
    return load(found.parent) if found else None
