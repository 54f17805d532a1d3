"""A filter that rejects one contender more often than another shows itself."""

from __future__ import annotations

from pathlib import Path

from race.analysis.analyse import analyse
from race.report.tables.attempts import attempts
from race.saved.model import Cell
from race.saved.reader import SavedRace
from tests.support import records

QUIET, FOREIGN, STOLEN = (0.0, 0.0), (0.0, 0.3), (0.5, 0.0)


def cell(label: str, number: int, rate: float, cores: tuple[float, float] = QUIET) -> Cell:
    seen = dict(zip(("steal", "foreign"), cores, strict=True))
    status = "ok" if cores == QUIET else "invalid"
    return records.cell(label, round=number, status=status, throughput=rate, meters={"cores": seen})


def test_rejections_and_what_they_chose() -> None:
    cells = [
        *(cell("base", number, 100.0) for number in (1, 2)),
        cell("a", 1, 50.0, FOREIGN),
        cell("a", 1, 70.0, STOLEN),
        cell("a", 1, 200.0),
        cell("a", 2, 200.0),
        records.cell("a", round=3),
    ]
    head = records.head(records.contender("a"), records.contender("base"))
    rows = {
        row.values[0]: row.values[1:]
        for row in attempts(analyse(SavedRace(Path(), head, cells, []))).rows
    }
    assert rows["base"] == [2, 0, 0, 0, 1.0, 1.0, 1.0]
    *counts, by_first, counted = rows["a"]
    assert counts == [5, 1, 1, 1, 1 / 3]
    assert (round(by_first, 9), round(counted, 9)) == (1.0, 2.0)  # the median of 0.5 and 2; 2
