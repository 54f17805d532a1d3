"""A series that is killed goes on with what is missing, and every run has the same connections."""

from __future__ import annotations

import re
import signal
from pathlib import Path

from race.run import series
from race.saved.model import CALIBRATION
from tests.support.race_lab import Race, scenario
from tests.support.site_server import until


def test_a_killed_series_goes_on(tmp_path: Path) -> None:
    path = scenario(tmp_path, ["aiohttp-memory-one"], ["ugly"], duration=0.2)
    path.write_text(path.read_text().replace("max_connections = 10", "max_connections = 80"))
    folder = tmp_path / "results" / "series-small"
    words = ["series", str(path), "--times", "2", "--every"]

    with Race([*words, "2h"], tmp_path / "results") as race:
        until(lambda: "run 2 of 2 begins at" in race.text(), 60.0, "it does not wait")
        race.send(signal.SIGINT)
        assert race.wait() == 130
        assert (
            race.text()
            .rstrip()
            .endswith("-m race series series-small --results " + str(folder.parent))
        )
    (first,) = series.read(folder).runs

    with Race([*words, "0"], tmp_path / "results") as race:
        until(lambda: len(_cells(folder)) == 2, 60.0, "no second run")
        race.process.kill()
        race.process.wait()
        kept = _cells(folder)[1]
    with Race(["series", "series-small"], tmp_path / "results") as race:
        assert race.wait() == 0, race.text()
        assert "run 2 of 2 goes on: " in race.text()
        assert re.search(
            r"2 runs: of \d pairs? \d different, \d shown equal, \d undecided", race.text()
        )

    found = series.read(folder)
    assert found.counted[0].head.race == first.head.race
    assert len(found.counted) == len(found.runs) == 2
    assert _cells(folder)[1].startswith(kept)
    used = [{c.connections_used for c in run.cells if c.round > CALIBRATION} for run in found.runs]
    assert used[0] == used[1] == {found.connections["ugly"]}
    assert found.runs[1].head.connections == found.connections
    calibration = [c for c in found.runs[1].cells if c.round == CALIBRATION]
    assert {c.connections_used for c in calibration} == used[0]


def _cells(folder: Path) -> list[str]:
    """Return the cells of the runs that have any, without a line that is not finished."""
    texts = (path.read_text() for path in sorted(folder.glob("*/cells.jsonl")))
    return [found for text in texts if (found := text[: text.rfind("\n") + 1])]
