"""A race of drivers, as a person starts it."""

from __future__ import annotations

from pathlib import Path

from race.analysis.analyse import analyse
from tests.long.toolbench.races import race_file
from tests.support.race_lab import Race
from tests.support.site_server import Databases
from toolbench.drivers import DRIVERS


def test_a_race_of_drivers_is_measured_and_reported(tmp_path: Path, databases: Databases) -> None:
    path = race_file(tmp_path, ["psycopg", "aiopg"], ["one-plus-one", "copy-in"], [4])
    with Race(["run", str(path)], tmp_path / "results", databases.env()) as race:
        assert race.wait() == 0, race.text()
        saved, text = race.saved_race(), race.text()
    assert {cell.status for cell in saved.cells} == {"ok"}
    for cell in saved.cells:
        assert cell.load.fixed
        assert cell.connections_used == cell.load.connections
        assert set(cell.meters["busy"]) == {"driver", "database"}
        assert cell.facts["rows"] == {"one-plus-one": 1, "copy-in": 10_000}[cell.task]
        assert {"min", "mean", "max", "deviation", "p50", "p99"} <= cell.latency_us.keys()
    found = analyse(saved)
    assert [one.place for one in found.comparisons] == [
        "1 + 1, 4 at once",
        "COPY of 10,000 rows, 4 at once",
    ]
    reason = DRIVERS["aiopg"].cannot["copy"]
    assert saved.head.unsupported == {"aiopg": {"copy-in": reason}}
    assert not [cell for cell in saved.cells if (cell.label, cell.task) == ("aiopg", "copy-in")]
    assert "one-plus-one c4" in text
    assert "unsupported: aiopg on copy-in:" in text
    report = (saved.folder / "report.html").read_text()
    for part in ("1 + 1, 4 at once", "it gives bytea as memoryview", ">unsupported</span>"):
        assert part in report, part
